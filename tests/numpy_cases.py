"""Expressions that functape.numpy and jax.numpy must answer alike: values, dtypes and shapes.

`np` is the library under test; `arrays` below are its arrays. One line a form of a call.
"""

import numpy


def arrays(make, real):
    """The arrays that the expressions name, made by `make`, floats of dtype `real`."""
    r = numpy.random.RandomState(0)
    found = {
        "x": r.randn(2, 3), "y": r.randn(3), "m": r.randn(3, 3), "t": r.randn(2, 3, 4),
        "u": r.randn(4, 3), "p": numpy.abs(r.randn(2, 3)) + 0.5, "c": numpy.clip(r.randn(2, 3), -0.9, 0.9),
        "q": numpy.array([1.0, 1.0, 0.0, -2.5, 3.5, 0.5]), "s": numpy.array(1.5),
        "w": numpy.array([numpy.nan, 1.0, numpy.inf, -numpy.inf, 2.0]),
        "v": numpy.array([[numpy.nan, 1.0, 2.0], [3.0, numpy.nan, 5.0]]),
        "e": numpy.zeros((0, 3)),
    }
    found = {k: a.astype(real) for k, a in found.items()}
    found["h"] = r.randn(3).astype("float16")
    found["i"] = numpy.array([[3, -1, 0], [7, 2, -8]], dtype="int32")
    found["j"] = numpy.array([2, 3, 1], dtype="int32")
    found["k"] = numpy.array([1, 2, 250], dtype="uint8")
    found["g"] = numpy.array([5, -6, 7], dtype="int8")
    found["b"] = numpy.array([[True, False, True], [False, False, True]])
    found["z"] = (r.randn(2, 3) + 1j * r.randn(2, 3)).astype("complex64")
    return {k: make(a) for k, a in found.items()}


ELEMENTWISE = """
np.sin(x) np.cos(x) np.tan(x) np.arcsin(c) np.arccos(c) np.arctan(x) np.arctan2(x,y) np.sinh(x)
np.cosh(x) np.tanh(x) np.arcsinh(x) np.arccosh(p+1) np.arctanh(c) np.asin(c) np.acos(c) np.atan(x)
np.asinh(x) np.acosh(p+1) np.atanh(c) np.atan2(x,p) np.sin(z) np.exp(z) np.cos(z) np.sqrt(z)
np.exp(x) np.exp2(x) np.expm1(x) np.log(p) np.log2(p) np.log10(p) np.log1p(p) np.logaddexp(x,y)
np.logaddexp2(x,y) np.sqrt(p) np.cbrt(x) np.square(x) np.reciprocal(x) np.hypot(x,y) np.sinc(x)
np.deg2rad(x) np.rad2deg(x) np.degrees(x) np.radians(x) np.sin(i) np.exp(b) np.sqrt(j) np.log(k)
np.add(x,y) np.subtract(x,y) np.multiply(x,y) np.divide(x,y) np.true_divide(i,j) np.floor_divide(x,y)
np.floor_divide(i,j) np.remainder(x,y) np.remainder(i,j) np.mod(i,-3) np.fmod(x,y) np.fmod(i,j)
np.power(p,y) np.power(i,2) np.power(x,3) np.pow(x,2) np.float_power(j,-1) np.divmod(i,j)
np.divmod(x,y) np.negative(x) np.negative(i) np.positive(x) np.abs(x) np.absolute(i) np.fabs(i)
np.abs(z) np.sign(x) np.sign(i) np.sign(z) np.heaviside(q,0.5) np.heaviside(x,y) np.copysign(x,y)
np.copysign(p,-0.0) np.ldexp(x,j) np.modf(x) np.maximum(x,y) np.minimum(i,j) np.maximum(x,0)
np.maximum(i,0.5) np.fmax(v,y) np.fmin(v,1.0) np.clip(x,-0.5,0.5) np.clip(x,None,0.5)
np.clip(x,min=0.1) np.clip(i,0,3) np.clip(x,y,y+1) np.clip(i,-1,None) np.clip(j,0.5,2.5)
np.floor(x) np.ceil(x) np.trunc(x) np.rint(q) np.round(q) np.round(x,2) np.floor(i)
np.round(x*100,-1) np.ceil(i) np.nan_to_num(w) np.nan_to_num(w,nan=9.0,posinf=1.0,neginf=-1.0)
np.nan_to_num(i) np.real(z) np.imag(z) np.real(x) np.imag(x) np.conj(z) np.conjugate(x) np.angle(z)
np.angle(z,deg=True) np.angle(x) np.where(b,x,y) np.where(b,1.0,x) np.where(b,x,0) np.where(b,i,0.5)
np.where(i,x,y) np.where(b,1,2) np.where(True,x,y) np.gcd(i,j) np.lcm(i,j) np.gcd(k,4)
np.bitwise_count(k) np.bitwise_count(g)
x+1 1+x x-1 1-x x*2 2*x x/2 2/x x//2 2//x x%2 2%x x**2 2**x x**0.5 p**-0.5 i+1 i*1.5 i/2 i//2 i**2
b+1 b*1.0 b+b b*x k+1 k*2.5 g*g k+g i+k h*2.0 h+1 h*x h+i x+z z*2 z*1j x*1j i*1j b&b b|b b^b ~b i&3
i|j i^j ~i j<<2 i>>1 x<y x<=0 x>y x>=0 x==x x!=y i==3 -x +x abs(x) divmod(x,2) np.equal(x,y)
np.not_equal(i,j) np.less(x,0) np.less_equal(i,j) np.greater(x,y) np.greater_equal(x,y)
np.bitwise_and(i,j) np.bitwise_or(i,1) np.bitwise_xor(i,j) np.bitwise_not(i) np.invert(b)
np.left_shift(j,1) np.right_shift(i,1) np.bitwise_invert(i) np.bitwise_left_shift(j,1)
np.logical_and(x,b) np.logical_or(i,b) np.logical_not(i) np.logical_xor(x,b) np.isnan(w)
np.isinf(w) np.isfinite(w) np.isposinf(w) np.isneginf(w) np.signbit(x) np.isreal(z) np.iscomplex(z)
np.isreal(x) np.isclose(x,x+1e-7) np.isclose(w,w) np.isclose(w,w,equal_nan=True) np.isclose(i,i+1)
np.isclose(i,3,atol=1) np.allclose(x,x) np.allclose(x,y) np.array_equal(x,x) np.array_equal(x,y)
np.array_equal(w,w,equal_nan=True) np.array_equiv(x,x) np.array_equiv(np.ones((2,3)),1)
""".split()

REDUCTIONS = """
np.sum(x) np.sum(x,axis=0) np.sum(x,axis=-1,keepdims=True) np.sum(t,axis=(0,2)) np.sum(i) np.sum(b)
np.sum(k) np.sum(g,axis=0) np.sum(x,axis=()) np.sum(x,0,dtype=int) np.sum(x,where=b)
np.sum(x,axis=1,initial=2.0) np.sum(x,axis=0,where=b,initial=1.0) np.sum(e) np.sum(e,axis=0) np.sum(s)
np.sum(h) np.sum(z,axis=0) np.sum(h,dtype='float32') np.prod(x) np.prod(x,axis=0)
np.prod(t,axis=(0,2)) np.prod(i,axis=1) np.prod(b) np.prod(e,axis=0) np.prod(e) np.prod(s)
np.prod(x,axis=(0,1),keepdims=True) np.prod(z) np.prod(x,where=b) np.prod(x,initial=2.0)
np.prod(t,axis=(2,0),keepdims=True) np.prod(x,axis=()) np.mean(x) np.mean(x,axis=0) np.mean(i) np.mean(b)
np.mean(t,axis=(1,2),keepdims=True) np.mean(h) np.mean(x,where=b) np.mean(x,axis=1,where=b)
np.mean(z) np.mean(x,axis=()) np.mean(i,dtype='float32') np.mean(s) np.var(x) np.var(x,axis=0)
np.var(x,ddof=1) np.var(x,axis=-1,keepdims=True) np.var(x,correction=1) np.var(x,ddof=0.5)
np.var(z) np.var(z,axis=0) np.var(i) np.var(t,axis=(0,1)) np.var(x,where=b) np.var(x,axis=1,where=b,ddof=0)
np.std(x) np.std(x,axis=0,ddof=1) np.std(z,axis=1) np.std(i,axis=0) np.std(x,where=b)
np.std(t,axis=(0,2),keepdims=True) np.max(x) np.max(x,axis=0) np.max(t,axis=(0,2))
np.max(i,axis=1,keepdims=True) np.max(b) np.max(x,initial=0.5) np.max(x,axis=0,where=b,initial=-1.0)
np.max(x,axis=()) np.max(e,axis=1) np.max(e,axis=0,initial=2.0) np.min(x) np.min(x,axis=(0,1))
np.min(i,axis=0) np.min(x,where=b,initial=9.0) np.min(w) np.max(w) np.max(s) np.amax(x) np.amin(x)
np.ptp(x) np.ptp(x,axis=0) np.ptp(i,axis=1,keepdims=True) np.all(b) np.all(b,axis=0) np.any(b,axis=1)
np.any(x) np.all(i,axis=1) np.any(e) np.all(e) np.all(b,keepdims=True) np.any(b,where=b)
np.all(x,where=b) np.any(s) np.count_nonzero(i) np.count_nonzero(i,axis=1) np.count_nonzero(b,axis=0,keepdims=True)
np.average(x) np.average(x,axis=0) np.average(x,axis=1,weights=y) np.average(x,weights=p)
np.average(x,axis=0,weights=p,returned=True) np.average(x,axis=1,returned=True)
np.average(i) np.average(x,axis=1,weights=y,keepdims=True) np.cumsum(x) np.cumsum(x,axis=0)
np.cumsum(i,axis=1) np.cumsum(b) np.cumsum(b,axis=1) np.cumsum(e,axis=0) np.cumsum(k) np.cumsum(x,axis=-1,dtype='float32')
np.cumprod(x) np.cumprod(x,axis=1) np.cumprod(i,axis=0) np.cumprod(b) np.cumprod(z,axis=1)
np.cumulative_sum(y) np.cumulative_sum(x,axis=0,include_initial=True) np.cumulative_prod(y,include_initial=True)
np.argmax(x) np.argmax(x,axis=0) np.argmax(x,axis=1,keepdims=True) np.argmin(x) np.argmin(i,axis=-1)
np.argmax(b) np.argmax(x,keepdims=True) np.argmax(w) np.argmin(w) np.argmax(q) np.argmin(s)
np.nansum(v) np.nansum(v,axis=0) np.nanprod(v,axis=1) np.nanmean(v) np.nanmean(v,axis=0,keepdims=True)
np.nanmax(v,axis=0) np.nanmin(v) np.nanvar(v) np.nanvar(v,axis=1,ddof=1) np.nanstd(v,axis=0)
np.nanmax(i) np.nansum(i) np.nanargmax(v) np.nanargmin(v,axis=1) np.nancumsum(v,axis=1) np.nancumprod(v)
np.nanmax(v*np.nan) np.nanmean(v*np.nan,axis=0) np.nanargmax(v*np.nan,axis=1) np.diff(y) np.diff(x,axis=0)
np.diff(x,n=2) np.diff(b) np.diff(x,prepend=0.0) np.diff(x,append=x[:,:1]) np.ediff1d(x)
np.ediff1d(i,to_begin=1,to_end=2) np.trapezoid(y) np.trapezoid(x,dx=0.5,axis=0) np.trapezoid(x,y)
np.cov(x) np.cov(x,ddof=0) np.cov(y) np.cov(x,bias=True) np.cov(x,rowvar=False) np.cov(x,x) np.corrcoef(x)
np.cov(x,aweights=p[0]) np.cov(x,fweights=j) np.corrcoef(y,y+p[0]) np.interp(x,np.array([-1.0,0.0,2.0]),y)
np.interp(x,np.array([-1.0,0.0,2.0]),y,left=7.0,right=8.0) np.unwrap(q*3) np.unwrap(x*9,axis=0)
np.interp(x*3,np.array([0.0,1.0,1.5]),y,period=2.0)
""".split()

SHAPES = """
np.reshape(x,(3,2)) np.reshape(x,-1) np.reshape(x,(3,-1)) np.reshape(x,(3,2),order='F') np.reshape(s,(1,1))
np.reshape(t,(4,-1),order='F') np.reshape(e,(3,0)) x.reshape(3,2) x.reshape(-1) x.reshape((6,)) x.reshape(3,-1)
np.ravel(x) np.ravel(x,order='F') np.ravel(e) x.ravel() x.flatten() np.transpose(x) np.transpose(t,(1,2,0))
np.transpose(t,(-1,0,1)) t.transpose() t.transpose(1,0,2) t.T t.mT np.permute_dims(t,(2,0,1))
np.matrix_transpose(t) np.swapaxes(t,0,-1) np.moveaxis(t,0,-1) np.moveaxis(t,(0,1),(-1,0)) np.rollaxis(t,2)
np.rollaxis(t,0,3) np.rollaxis(t,1,2) np.squeeze(x[:1]) np.squeeze(x[None,:,:1],axis=(0,-1)) np.expand_dims(x,0)
np.expand_dims(x,(0,-1)) np.expand_dims(s,0) np.atleast_1d(s) np.atleast_2d(y) np.atleast_3d(x) np.atleast_1d(s,y)
np.atleast_3d(y) np.broadcast_to(y,(2,3)) np.broadcast_to(s,(2,)) np.broadcast_arrays(x,y) np.broadcast_shapes((2,1),(3,))
np.tile(y,2) np.tile(x,(2,1)) np.tile(x,(2,1,2)) np.tile(s,3) np.tile(x,0) np.repeat(x,2) np.repeat(x,3,axis=0)
np.repeat(x,numpy.array([1,0,2]),axis=1) np.repeat(y,numpy.array([1,0,2]),total_repeat_length=5) np.repeat(s,2)
np.flip(x) np.flip(x,0) np.flip(t,(0,-1)) np.fliplr(x) np.flipud(x) np.rot90(x) np.rot90(x,2) np.rot90(x,-1)
np.rot90(t,3,(1,2)) np.roll(x,1) np.roll(x,1,axis=0) np.roll(x,(1,2),axis=(0,1)) np.roll(x,-5,axis=1) np.roll(x,2,axis=(0,1))
np.concatenate([x,x]) np.concatenate([x,u[:2]],axis=1) np.concatenate([x,i]) np.concatenate([x,y],axis=None)
np.concatenate([k,g]) np.concat([x,x],axis=-1) np.stack([x,x]) np.stack([y,j],axis=-1) np.stack([b,b],axis=1)
np.vstack([y,y]) np.vstack([x,y]) np.hstack([y,y]) np.hstack([x,x]) np.dstack([x,x]) np.dstack([y,y])
np.column_stack([y,y]) np.column_stack([x,x]) np.append(x,y) np.append(x,x,axis=0) np.append(y,1.0)
np.block([[x,x],[p,p]]) np.block([y,y]) np.block([[s,y]]) np.split(x,2) np.split(y,3) np.split(t,[1,2],axis=2)
 np.array_split(y,2) np.array_split(u,3) np.hsplit(u,3) np.hsplit(y,3) np.vsplit(u,2) np.dsplit(t,2)
np.unstack(x) np.unstack(x,axis=1) np.meshgrid(y,j) np.meshgrid(y,j,indexing='ij') np.meshgrid(y,j,sparse=True)
np.meshgrid(y,j,y) np.pad(y,2) np.pad(x,((1,0),(2,1))) np.pad(x,1,constant_values=2.0) np.pad(y,(1,2),constant_values=(1,2))
np.pad(x,((1,2),(0,1)),constant_values=((1,2),(3,4))) np.pad(x,1,mode='edge') np.pad(y,2,mode='reflect')
np.pad(y,5,mode='reflect') np.pad(y,2,mode='reflect',reflect_type='odd') np.pad(y,7,mode='reflect',reflect_type='odd')
np.pad(y,2,mode='symmetric') np.pad(y,7,mode='symmetric') np.pad(x,((1,3),(4,2)),mode='symmetric',reflect_type='odd')
np.pad(x,((1,2),(3,4)),mode='wrap') np.pad(y,3,mode='linear_ramp') np.pad(x,2,mode='linear_ramp',end_values=(1,2))
np.pad(x,1,mode='maximum') np.pad(x,2,mode='minimum',stat_length=2) np.pad(x,1,mode='mean') np.pad(x,(1,2),mode='mean',stat_length=((1,1),(2,3)))
np.pad(x,1,mode='median') np.pad(i,1,mode='mean') np.pad(i,2,mode='edge') np.pad(y[:1],2,mode='reflect') np.pad(x,0) np.pad(b,1)
np.pad(i,1,mode='linear_ramp') np.diag(y) np.diag(y,1) np.diag(m) np.diag(m,-1) np.diagonal(t) np.diagonal(t,1,1,2)
np.diagflat(x,-1) np.trace(m) np.trace(t,axis1=1,axis2=2) np.trace(i) np.tri(3) np.tri(2,4,1) np.tri(3,k=-1,dtype=int)
np.tril(m) np.tril(t,1) np.triu(m) np.triu(x,-1) np.tril(i) np.triu(b) np.vander(y) np.vander(y,2) np.vander(y,4,increasing=True)
np.tril_indices(3) np.triu_indices(3,1) np.tril_indices(2,0,4) np.triu_indices_from(m) np.tril_indices_from(m,-1) np.diag_indices(3)
np.ndim(x) np.shape(x) np.size(x) np.size(x,1) np.isscalar(1.0) np.isscalar(x) np.iscomplexobj(z) np.isrealobj(x)
""".split()

PRODUCTS = """
np.matmul(x,m) np.matmul(x,y) np.matmul(y,m) np.matmul(y,y) np.matmul(t,t.mT) np.matmul(t,u) np.matmul(y,t) np.matmul(t,u[:,0])
x@m y@m x@y i@j m@i.T z@y k@k np.matmul(b,b.T) np.dot(x,y) np.dot(x,m) np.dot(y,y) np.dot(s,x) np.dot(t,u) np.dot(y,t)
np.dot(2.0,x) np.dot(t,u[:,:1]) np.dot(t,u[:,0]) np.inner(x,y) np.inner(x,m) np.inner(s,x) np.inner(t,u.T) np.outer(x,y) np.outer(s,y) np.outer(i,j)
np.vdot(x,x) np.vdot(z,z) np.vdot(y,j) np.vecdot(x,y) np.vecdot(z,z) np.vecdot(t,t,axis=1) np.matvec(x,y) np.vecmat(y,m) np.vecmat(z,y[:,None]+z.T@z)
np.tensordot(x,m,1) np.tensordot(t,u,1) np.tensordot(t,t.T.transpose(1,0,2),2) np.tensordot(x,y,0) np.tensordot(t,u,((2,),(0,))) np.tensordot(t,t,([0,2],[0,2]))
np.tensordot(t,x,((1,0),(1,0))) np.tensordot(i,i,2) np.kron(x,y) np.kron(x,m) np.kron(y,x) np.kron(s,x) np.kron(i,j)
np.cross(y,y+1) np.cross(x,y) np.cross(x[:,:2],x[:,:2]+1) np.cross(x[:,:2],y) np.cross(y,x[:,:2]) np.cross(u.T,u.T,axis=0) np.cross(m,m.T,axisa=0,axisb=1,axisc=0)
np.einsum('ij,jk',x,m) np.einsum('ij,kj->ik',x,m) np.einsum('ii',m) np.einsum('ii->i',m) np.einsum('ij->ji',x) np.einsum('...i,i->...',t,u[:,0])
np.einsum('ij,j->i',i,j) np.einsum(x,[0,1],m,[1,2],[0,2]) np.einsum(x,[0,1]) np.einsum('bij,bkj->bik',t,t) np.einsum('i,ij,j',x[:,0],x,y)
np.einsum('...ij,jk->...ik',t,u) np.einsum('i,j->ij',y,j) np.einsum('ij,ij->',x,x) np.einsum('i...->...',t) np.einsum('ij,jk',x,m,preferred_element_type='float32')
np.einsum('ij,jk,kl->il',x,m,m,optimize='greedy') np.einsum('iij->j',t[:,:2]) np.einsum('z,y->zy',y,y) np.einsum('zy',x)
""".split()

CREATION = """
np.array([1,2]) np.array([1.0,2]) np.array([True,False]) np.array([1j,2]) np.array([[1,2],[3,4.5]]) np.array(3) np.array(2.5) np.array(True)
np.array([]) np.array([[],[]]) np.array([1,2],dtype='float16') np.array([1.7,2],dtype=int) np.array(5,ndmin=2) np.array(x,dtype='float16')
np.array([x,x]) np.array([[s,1.0],[2.0,s]]) np.array([s,2]) np.array([h[0],1.0]) np.array((1,(2,))[0]) np.array([y,[1.0,2.0,3.0]]) np.array([True,2,2.5])
np.asarray([1,2,3]) np.asarray(x) np.asarray(2) np.zeros(3) np.zeros((2,3),dtype=int) np.zeros(()) np.ones((2,),bool) np.full((2,2),7) np.full(3,2.5)
np.full((2,3),y) np.full(2,True) np.full(2,1,dtype='float32') np.zeros_like(x) np.zeros_like(i) np.ones_like(b) np.ones_like(x,dtype=int) np.zeros_like(x,shape=(2,))
np.full_like(x,3) np.full_like(i,3.7) np.empty((2,3)).shape np.empty_like(x).shape np.arange(5) np.arange(2,10,3) np.arange(5.0) np.arange(0,1,0.25) np.arange(5,0,-2)
np.arange(3,dtype='float32') np.arange(0) np.arange(5,2) np.linspace(0,1,5) np.linspace(0,1,5,endpoint=False) np.linspace(0,10,5,dtype=int) np.linspace(y,2*y,4)
np.linspace(y,0,3,axis=1) np.linspace(0,1,1) np.linspace(0,1,0) np.linspace(0,1,4,retstep=True) np.linspace(1j,2,3) np.logspace(0,2,3) np.logspace(0,3,4,base=2) np.geomspace(1,1000,4)
np.eye(3) np.eye(2,3) np.eye(3,k=1) np.eye(2,dtype=int) np.eye(3,2,-1) np.identity(2) np.identity(2,dtype=int) np.pi np.e np.euler_gamma np.inf
x.astype(int) x.astype('float16') i.astype(float) b.astype('int32') x.astype(bool) z.astype('complex64') i.astype('uint8') np.astype(x,'int32')
np.finfo('float32').eps np.finfo('float16').max np.finfo('bfloat16').tiny np.iinfo('int32').max np.iinfo('uint8').min np.finfo('float32').smallest_subnormal
np.issubdtype(x.dtype,np.floating) np.issubdtype(i.dtype,np.integer) np.isdtype(np.zeros(2,'int8').dtype,'integral') np.can_cast('int8','float32')
x.sum() x.sum(0) x.sum(axis=1,keepdims=True) x.mean() x.max(1) x.min() x.prod(0) x.std() x.var(ddof=1) x.cumsum(1) x.cumprod(0) x.argmax() x.argmin(1) x.all() x.any(0)
x.ptp() x.round(1) x.clip(-0.5,0.5) x.conj() x.real z.imag x.dot(y) x.squeeze() x.swapaxes(0,1) x.repeat(2) x.copy() x.ndim x.size x.shape x.itemsize*0 x.T x.astype('int32').tolist()
len(x) int(s) float(s) bool(s) complex(s) s.item() round(s) [10,20,30,40][j[0]] '%.1f'%s f'{s:.2f}'
""".split()
