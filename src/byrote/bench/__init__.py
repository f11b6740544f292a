"""What a compiled model costs, layer by layer, measured on the emulated core."""
