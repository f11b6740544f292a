"""Measured costs of kernels: `<core>.json` per core, made by `byrote tune`, and the predictions from them."""
