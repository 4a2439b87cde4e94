"""More expressions that functape.numpy and jax.numpy must answer alike. See numpy_cases."""


def split(table):
    """Expressions apart, at white space; that after `lambda` is written ~."""
    return [e.replace("~", " ") for e in table.split()]


SEQUENCES = split("""
np.convolve(y,q) np.convolve(q,y) np.convolve(q,y,'same') np.convolve(y,q,'same')
np.convolve(q,y,mode='valid') np.convolve(q,y[:2],'same') np.convolve(q[:5],y[:2],'same')
np.convolve(j,i[0]) np.convolve(i[0],j[:2],'valid') np.convolve(z[0],y) np.correlate(q,y)
np.correlate(y,q) np.correlate(q,y,'full') np.correlate(y,q,'full') np.correlate(q,y,'same')
np.correlate(y[:2],q,'same') np.correlate(y[:2],q[:5],'same') np.correlate(q,y[:2],'same')
np.correlate(j,j,'full') np.correlate(z[0],z[1],'full') np.bartlett(6) np.blackman(7) np.hamming(5)
np.hanning(8) np.kaiser(6,2.5) np.kaiser(5,0.0) np.hanning(1) np.kaiser(1,2.0) np.bartlett(0)
np.i0(x) np.i0(j) np.polyval(y,x) np.polyval(j,i) np.polyval(y,s) np.polyval(y[:1],x)
np.polyadd(y,q) np.polysub(y,q) np.polyadd(i[0],j) np.polymul(y,q) np.polymul(j,j) np.polyder(q)
np.polyder(q,2) np.polyder(y,5) np.polyder(y,0) np.polyint(q) np.polyint(y,2)
np.polyint(y,2,k=y[:2]) np.polyint(y,m=2,k=y[:1]) np.polyint(j) np.polydiv(q,y) np.polydiv(y,q)
np.poly(y) np.poly(m) np.polyfit(q*q+q,q,2) np.polyfit(y,u[:3],1)
np.polyfit(np.arange(6.0)*s,q,2,w=q*q+1) np.polyfit(np.arange(6.0)*s,q,2,cov=True)[1]
np.polyfit(np.arange(6.0)*s,q,1,cov='unscaled')[1] np.polyfit(np.arange(6.0)*s,q,1,full=True)[:2]
np.gradient(q) np.gradient(x) np.gradient(x,axis=1) np.gradient(t,2.0,axis=(0,2))
np.gradient(q,0.5) np.gradient(q,np.array([0.0,1.0,2.5,3.0,5.0,8.0]))
np.gradient(x,2.0,y+np.array([0.0,9.0,20.0])) np.gradient(i) np.sort_complex(z[0])
np.sort_complex(x[0])
""")

COUNTS = split("""
np.bincount(j) np.bincount(j,minlength=6) np.bincount(j,weights=y) np.bincount(j[:0],minlength=2)
np.histogram(p) np.histogram(x,bins=3) np.histogram(x,3,(-1.0,1.0))
np.histogram(q,s*0+np.array([-3.0,0.0,1.0,3.5])) np.histogram(q,4,weights=q)
np.histogram(q,4,density=True) np.histogram(q,s*0+np.array([-3.0,0.0,1.5,3.5]),density=True)
np.histogram_bin_edges(q,5) np.histogram_bin_edges(i,4) np.histogram_bin_edges(q*0+2,2)
np.histogram(i,4) np.histogram2d(q,q*q,3) np.histogram2d(q,q*q,[2,3]) np.histogramdd(u,2)
np.histogram2d(q,q*q,3,density=True) np.histogramdd(u,[2,2,3],weights=u[:,0])
np.histogramdd(u,2,range=[(-1.0,1.0),(-2.0,2.0),(0.0,1.0)])
np.histogram2d(q,q,s*0+np.array([-3.0,0.0,1.5,3.5])) np.isin(i,j) np.isin(x,y)
np.isin(i,j,invert=True) np.isin(b,np.array([True])) np.isin(q,np.array([1.0,0.5,numpy.nan]))
np.isin(i,j[:0]) np.union1d(i,j) np.union1d(q,y) np.intersect1d(q,np.array([1.0,3.5]))
np.intersect1d(i,j,return_indices=True) np.setdiff1d(i,j) np.setdiff1d(q,np.array([1.0]))
np.setxor1d(i,j) np.setxor1d(q,np.array([1.0,7.0])) np.union1d(i,j,size=9,fill_value=5)
np.bincount(j,length=2)
""")

EDITING = split("""
np.delete(y,1) np.delete(x,0,axis=0) np.delete(x,-1,axis=1) np.delete(x,numpy.array([0,2]),axis=1)
np.delete(x,slice(0,2),axis=1) np.delete(x,3) np.delete(q,numpy.array([True,False]*3))
np.insert(y,1,5.0) np.insert(y,numpy.array([0,2]),s) np.insert(x,1,y,axis=0)
np.insert(x,1,9.0,axis=1) np.insert(x,numpy.array([0,2]),7.0,axis=1) np.insert(x,2,3.0)
np.insert(y,1,q) np.insert(x,slice(0,2),0.0,axis=1) np.insert(x,numpy.array([1]),y,axis=0)
np.insert(j,-1,9) np.insert(x,1,x[:,0],axis=1) np.resize(x,(3,4)) np.resize(x,2)
np.resize(y,(2,1,3)) np.resize(i,(0,)) np.trim_zeros(np.array([0,0,1,0,2,0]))
np.trim_zeros(np.array([0,1,0]),'b') np.trim_zeros(np.array([0,0])) np.compress(b[0],x,axis=1)
np.compress(b[0],y) np.extract(b,x) np.extract(i,x) np.compress(b[0],x,axis=1,size=3,fill_value=9)
np.extract(b,x,size=2) np.piecewise(x,[x<0,x>1],[-1.0,1.0])
np.piecewise(x,[x<0],[lambda~v:v*v,lambda~v:-v])
np.piecewise(q,[q<0,q>=0],[lambda~v,a:v*a,lambda~v,a:v+a],3) np.piecewise(i,[i>0],[1,7])
np.place(x,b,np.array([1.0,2.0]),inplace=False) np.put(x,j,y,inplace=False)
np.put(x,np.array([0,-1]),9.0,inplace=False)
np.put(y,np.array([1,5]),9.0,mode='clip',inplace=False)
np.put(y,np.array([1,5]),np.array([8.0,9.0]),mode='wrap',inplace=False)
np.put(y,np.array([1,9]),9.0,inplace=False) np.fill_diagonal(m,5.0,inplace=False)
np.fill_diagonal(x,y,inplace=False) np.fill_diagonal(u,7.0,inplace=False)
np.fill_diagonal(np.zeros((2,2,2)),3,inplace=False) np.indices((2,3)) np.indices((2,3),sparse=True)
np.indices((2,),dtype=float) np.ix_(j,j[:2]) x[np.ix_(j[:2]-2,j-1)] np.diag_indices_from(m)
np.mask_indices(3,np.triu) np.mask_indices(3,np.tril,-1) np.mgrid[0:3,0:2] np.mgrid[0:3]
np.mgrid[0:1:3j,0:2] np.ogrid[0:3,1:3] np.ogrid[0:1:4j] np.r_[0:3,5,np.array([1,2])] np.r_[y,0.0,y]
np.r_['0,2',y,y] np.r_['1,2,0',y,y] np.r_['-1',x,x] np.c_[y,y] np.c_[x,x] np.c_[0:3,j]
np.unravel_index(j,(2,3)) np.unravel_index(5,(2,3)) np.unravel_index(i,(4,5)) np.s_[1:3]
np.index_exp[1:3,0] np.ravel_multi_index((j-1,j),(4,5))
np.ravel_multi_index((j,j),(2,3),mode='clip') np.ravel_multi_index((j,j),(2,3),mode='wrap')
np.ravel_multi_index((j-1,j),(4,5),order='F') np.apply_along_axis(np.sum,0,x)
np.apply_along_axis(np.cumsum,1,t) np.apply_along_axis(np.max,-1,t)
np.apply_along_axis(lambda~v:np.outer(v,v),1,x) np.apply_over_axes(np.sum,t,(0,2))
np.fromfunction(lambda~p,q:p*10+q,(2,3),dtype='float32')
np.fromfunction(lambda~p:p+1,(3,),dtype=int) np.vectorize(lambda~p,q:p*q+1)(x,y)
np.vectorize(lambda~p,q:np.where(p>q,p,q))(x,0.5) np.vectorize(np.dot,signature='(n),(n)->()')(x,y)
np.vectorize(lambda~p:(p,p*p))(y) np.vectorize(np.matmul,signature='(a,b),(b)->(a)')(t,u.T[0])
np.vectorize(lambda~v:v-np.mean(v),signature='(n)->(n)')(t)
np.vectorize(lambda~p,n:p**n,excluded={1})(y,2) np.vectorize(np.add)(x[:,None,:1],y)
np.frompyfunc(lambda~p,q:p+q,2,1)(x,y)*1 np.frexp(x) np.frexp(q) np.frexp(w) np.frexp(i)
np.frexp(h) np.frexp(x*1e-30) np.frexp(x*1e30) np.nextafter(x,y) np.nextafter(q,np.inf)
np.nextafter(w,1.0) np.nextafter(x,x) np.nextafter(q,-q)*1e30 np.spacing(x) np.spacing(q)*1e9
np.spacing(h) np.packbits(b) np.packbits(b,axis=1) np.packbits(b,axis=0,bitorder='little')
np.packbits(np.arange(20)%3) np.unpackbits(k) np.unpackbits(k,count=5) np.unpackbits(k,count=-3)
np.unpackbits(k,bitorder='little') np.unpackbits(k[:,None],axis=1) np.unpackbits(k,count=30)
np.frombuffer(b'abcd',dtype=numpy.uint8) np.fromstring('1,2',sep=',',dtype='float32')
np.around(x,1) np.copy(x) np.array_str(j)
""")

SMOOTH = split("""
np.convolve(y,q) np.convolve(q,y,'same') np.correlate(q,y) np.correlate(y,q,'full') np.kaiser(6,s)
np.i0(x) np.polyval(y,x) np.polyadd(y,q) np.polymul(y,q) np.polyder(q,2) np.polyint(y,2)
np.polydiv(q,y)[1] np.poly(y) np.polyfit(y,u[:3,0],1) np.gradient(q) np.gradient(x,axis=1)
np.gradient(y,p[0].cumsum()) np.bincount(numpy.array([0,2,2]),weights=y,length=3)
np.histogram(np.arange(3.0),2,weights=y)[0] np.delete(x,0,axis=1) np.insert(x,1,y,axis=0)
np.resize(x,(3,4)) np.compress(b[0],x,axis=1,size=2) np.place(x,b,y,inplace=False)
np.piecewise(x,[x<0],[lambda~v:v*v,lambda~v:-v]) np.put(x,numpy.array([0,4]),y[:2],inplace=False)
np.fill_diagonal(m,y,inplace=False) np.frexp(x)[0] np.apply_along_axis(np.prod,1,t) np.r_[y,0.0,y]
np.c_[y,y**2] np.vectorize(np.dot,signature='(n),(n)->()')(x,y) np.vectorize(lambda~p,q:p*q)(x,y)
""")
