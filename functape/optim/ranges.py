"""Which hyperparameters make sense."""

import mlx.core as mx

from functape.errors import ArgumentError, RangeError, check_range, describe

RANGES = {
    "lr": "[0, inf)", "momentum": "[0, inf)", "weight_decay": "[0, inf)", "dampening": "[0, 1]",
    "betas": "[0, 1)", "beta_1": "[0, 1)", "alpha": "[0, 1]", "rho": "[0, 1]", "eps": "[0, inf)",
    "clip_threshold": "(0, inf)", "decay_rate": "(-inf, 0]", "ns_steps": "[1, inf)",
}
# Where nothing else keeps 0 / 0 away.
RANGES.update({(rule, "eps"): "(0, inf)" for rule in ("RMSprop", "Adagrad", "AdaDelta")})


def check_values(rule, hyperparameters):
    """Refuse hyperparameters with which a rule of mlx.optimizers would be of no use."""
    name = rule.__name__
    for what, given in hyperparameters.items():
        if isinstance(given, str):
            raise ArgumentError(f"{name}: {what} must be a number, but is {given!r}.")
        interval = RANGES.get((name, what), RANGES.get(what))
        if interval is not None:
            check_range(name, interval, **numbers(name, what, given))
    momentum = hyperparameters.get("momentum", name == "Muon")
    if hyperparameters.get("nesterov") and (not momentum or hyperparameters.get("dampening")):
        raise RangeError(f"{name}: nesterov=True needs momentum above 0 and no dampening.")


def numbers(name, what, given):
    """The numbers that a hyperparameter has, by name: ``{"betas[0]": 0.9, "betas[1]": 0.99}``."""
    if what != "betas" and (name, what) != ("Adafactor", "eps"):
        return {what: given}
    if not isinstance(given, (tuple, list, mx.array)) or len(given) != 2:
        raise ArgumentError(f"{name}: {what} must be two numbers, but is {describe(given)}.")
    return {f"{what}[{i}]": number for i, number in enumerate(given)}
