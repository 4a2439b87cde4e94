"""What checks borrow from functape.transforms, which stands above this package and puts it here."""

jvp = None  # of functape.transforms.forward
vjp = None  # of functape.transforms.reverse
vmap = None  # of functape.transforms.vmap
