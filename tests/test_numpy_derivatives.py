"""Derivatives of functions made of several ops: both modes, second order, and under vmap."""

import jax
import jax.numpy as jnp
import numpy
import pytest
from numpy_cases import arrays
from numpy_more_cases import SMOOTH as MORE

import functape as ft
import functape.numpy as fnp
from functape.test_util import check_grads

SMOOTH = """
np.sum(x,where=b) np.prod(x) np.prod(t,axis=(0,2)) np.prod(x,axis=1,keepdims=True)
np.mean(x,where=b) np.var(x,ddof=1) np.var(x,axis=1,where=b) np.std(x,axis=0) np.std(x,where=b)
np.var(x,ddof=0.5) np.average(x,axis=1,weights=y) np.average(x,weights=x**2) np.cumsum(x,axis=1)
np.cumprod(x,axis=1) np.cumprod(x) np.cumprod(t,axis=1) np.logsumexp(t,axis=(0,2))
np.logsumexp(x,where=b) np.max(t,axis=(0,2)) np.ptp(x,axis=0) np.nanmean(v,axis=1) np.nanprod(v)
np.nanvar(v) np.diff(x,n=2) np.trapezoid(x,x**2) np.cov(x) np.corrcoef(x)
np.interp(x,u[:,0]*0+numpy.arange(-2,2.0),u[:,1]) np.einsum('ij,jk',x,m) np.einsum('ii->i',m)
np.einsum('iij->j',t[:,:2]*1.0) np.einsum('...ij,jk->...ik',t,u) np.einsum('i,ij,j->',x[:,0],x,y)
np.einsum('ij,ij->i',x,x) np.einsum('bij,bkj->bik',t,t) np.einsum('ij->',x)
np.einsum('ij,kj,lj->kil',x,m,x) np.tensordot(t,u,1) np.tensordot(t,t,((0,2),(0,2)))
np.tensordot(x,y,0) np.inner(x,m) np.outer(x,y) np.vdot(x,x) np.vecdot(t,t,axis=1) np.dot(t,u)
np.matmul(t,u) np.matmul(y,t) np.matmul(t,u[:,0]) np.matmul(y,y) np.matvec(x,y) np.kron(x,y)
np.cross(x,y) np.cross(x[:,:2],y) np.trace(t,axis1=1,axis2=2) np.pad(x,1,constant_values=2.0)
np.pad(y,7,mode='reflect') np.pad(y,5,mode='reflect',reflect_type='odd')
np.pad(x,2,mode='symmetric') np.pad(x,((1,3),(4,2)),mode='symmetric',reflect_type='odd')
np.pad(x,2,mode='wrap') np.pad(x,2,mode='edge') np.pad(x,2,mode='linear_ramp')
np.pad(x,1,mode='mean') np.pad(x,1,mode='maximum') np.pad(x,1,mode='median') np.tile(x,(2,1,2))
np.repeat(x,2,axis=1) np.repeat(x,numpy.array([1,0,2]),axis=1) np.flip(x) np.rot90(x)
np.roll(x,(1,2),axis=(0,1)) np.roll(x,3) np.concatenate([x,u],axis=0) np.stack([y,y**2],axis=1)
np.block([[x,x],[p,p]]) np.split(x,[1],axis=1)[1] np.array_split(u,3)[0] np.meshgrid(y,y**2)[0]
np.array([[s,1.0],[2.0,s*s]]) np.array([y,[1.0,2.0,3.0]]) np.reshape(t,(4,-1),order='F')
np.moveaxis(t,0,-1) np.tril(m) np.triu(x,-1) np.diag(y,1) np.diag(m,-1) np.vander(y)
np.linspace(y,2*y,4) np.logspace(s,2*s,3) np.geomspace(p,2*p,3) np.full((2,3),y) np.sinc(x)
np.logaddexp2(x,y) np.ldexp(x,2) np.copysign(x,y) np.heaviside(q*0.0,s) np.modf(x)[0] np.fmax(v,y)
np.clip(x,-0.5,0.5) np.nan_to_num(v) np.where(b,x,y**2) np.float_power(p,y) np.divmod(x,0.7)[1]
np.remainder(x,p) np.angle(x+1j*p) np.abs(x+1j*p) np.var(x+1j*p) np.real(np.prod(x+1j*p))
np.unwrap(x*3) x@m 2.0**x x**-2 p**y 1/p abs(x) x.T@x x.mT.mean(0) x.dot(y)
x.reshape(3,2).sum(1)**2
""".split() + MORE
REAL = set("xymtupcqsv")


def function(expression):
    """f of the arrays that the expression names, and those arrays."""
    named = arrays(fnp.asarray, "float64")
    code = compile(expression, expression, "eval")
    names = [n for n in code.co_names if n in REAL and n in named]

    def f(*values):
        own = dict(zip(names, values, strict=True))
        return eval(code, {"np": fnp, "numpy": numpy, **named, **own})

    return f, tuple(named[n] for n in names)


@pytest.mark.parametrize("expression", SMOOTH)
def test_against_finite_differences(expression):
    f, args = function(expression)
    check_grads(f, args, order=2)


@pytest.mark.parametrize("expression", SMOOTH)
def test_vmap_is_a_loop(expression):
    f, args = function(expression)
    batches = [fnp.stack([a, a * 0.5 + 0.1, a * 1.5]) for a in args]
    got = ft.vmap(f)(*batches)
    want = fnp.stack([f(*row) for row in zip(*batches, strict=True)])
    numpy.testing.assert_allclose(numpy.asarray(got), numpy.asarray(want), rtol=1e-9, atol=1e-9)


ZEROS = [
    ("np.prod(a)", [2.0, 3.0, 0.0, 0.0]),
    ("np.prod(a)", [0.0, 0.0, 0.0]),
    ("np.cumprod(a)", [2.0, 0.0, 3.0, 4.0]),
    ("np.cumprod(a)", [0.0, 2.0, 0.0, 3.0, 0.5]),
    ("np.prod(a.reshape(2,3),axis=(0,1))", [1.0, 0.0, 2.0, 0.0, 3.0, 4.0]),
    ("np.einsum('i,i,i->',a,a,a)", [0.0, 1.0, 2.0]),
    ("np.sum(a**3)", [0.0, -1.0, 2.0]),
]


@pytest.mark.parametrize(("expression", "point"), ZEROS)
def test_zeros_like_jax(expression, point):
    def f(np, a):
        return np.sum(np.sin(eval(expression, {"np": np, "a": a})))

    with jax.enable_x64(True):
        want = jax.jit(jax.hessian(lambda a: f(jnp, a)))(jnp.asarray(point))
        slope = jax.jit(jax.grad(lambda a: f(jnp, a)))(jnp.asarray(point))
    a = fnp.asarray(numpy.array(point))
    reverse, forward = (lambda g, j=j: j(j(g)) for j in (ft.jacrev, ft.jacfwd))
    for hessian in (ft.hessian, reverse, forward):
        numpy.testing.assert_allclose(numpy.asarray(hessian(lambda a: f(fnp, a))(a)), want,
                                      rtol=1e-9, atol=1e-12)
    numpy.testing.assert_allclose(numpy.asarray(ft.grad(lambda a: f(fnp, a))(a)), slope)


def test_std_of_equal_numbers_has_slope_zero():
    g = ft.grad(fnp.std)(fnp.ones(3))
    assert g.tolist() == [0.0, 0.0, 0.0]


def test_nan_under_a_mask_stays_away():
    v = fnp.array([1.0, float("nan"), 3.0])
    assert ft.grad(fnp.nansum)(v).tolist() == [1.0, 0.0, 1.0]
    assert ft.grad(lambda v: fnp.nanmean(v) ** 2)(v).tolist() == [2.0, 0.0, 2.0]
    assert ft.grad(fnp.nanstd)(v).tolist() == [-0.5, 0.0, 0.5]
