"""What functape does, in a minute: ``python -m functape.demo``.

model       a small network, written once for functape.numpy and jax.numpy
digits      first order: train it on handwritten digits with Adam
curvature   second order: the top eigenvalue of the loss's Hessian
maml        gradients through gradients: learn to learn sine waves
oracle      the same gradients by JAX
"""
