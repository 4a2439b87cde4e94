from functape import blas
blas.preload()
from functape.backend import require_backend
require_backend()
from functape import numpy
from functape.transforms import *
