from functape.numpy import methods
