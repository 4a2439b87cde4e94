"""jax.scipy.stats' distributions on functape values, by the same names.

Each is an object with functions: `logpdf`, `pdf` (discrete ones `logpmf`, `pmf`) and, where there
is a closed form, `cdf`, `logcdf`, `sf`, `logsf`, `ppf`, `isf`. Outside the support a density is 0,
its logarithm -inf, and all derivatives are 0.

The formulas are those of N. L. Johnson, S. Kotz and N. Balakrishnan, Continuous Univariate
Distributions, 2nd edition (1994, 1995); N. L. Johnson, A. W. Kemp and S. Kotz, Univariate Discrete
Distributions, 3rd edition (2005); K. V. Mardia and P. E. Jupp, Directional Statistics (2000).

>>> from functape.scipy import stats
>>> stats.norm.cdf(1.0, loc=1.0, scale=2.0)
tensor(0.5)
"""

from functape.scipy.stats.continuous import (
    beta,
    cauchy,
    chi2,
    expon,
    gamma,
    gennorm,
    gumbel_l,
    gumbel_r,
    laplace,
    logistic,
    norm,
    pareto,
    t,
    truncnorm,
    uniform,
    vonmises,
    wrapcauchy,
)
from functape.scipy.stats.discrete import (
    bernoulli,
    betabinom,
    binom,
    geom,
    nbinom,
    poisson,
)
from functape.scipy.stats.kde import gaussian_kde
from functape.scipy.stats.multivariate import (
    dirichlet,
    multinomial,
    multivariate_normal,
)
from functape.scipy.stats.summaries import ModeResult, mode, rankdata, sem
from functape.suggest import for_names_of

__all__ = [
    "ModeResult", "bernoulli", "beta", "betabinom", "binom", "cauchy", "chi2", "dirichlet", "expon",
    "gamma", "gaussian_kde", "gennorm", "geom", "gumbel_l", "gumbel_r", "laplace", "logistic",
    "mode", "multinomial", "multivariate_normal", "nbinom", "norm", "pareto", "poisson", "rankdata",
    "sem", "t", "truncnorm", "uniform", "vonmises", "wrapcauchy",
]

__getattr__ = for_names_of(__name__)
