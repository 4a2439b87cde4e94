"""What this package borrows from functape.transforms, which stands above it and puts it here."""

jvp = None  # of functape.transforms.forward
vjp = None  # of functape.transforms.reverse
vmap = None  # of functape.transforms.vmap
apply_function = None  # of functape.transforms.function
