"""The benchmarks: functape beside MLX, JAX, PyTorch and HIPS autograd. See docs/benchmarks.md.

Nothing here imports an array library before the process is told which one it measures: `mlx.core`
must not be loaded where its stock BLAS is to be replaced, nor the other way round.
"""
