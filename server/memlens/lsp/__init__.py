"""The language server: the only package that knows LSP types (spec 3.1).

Importing this package imports nothing else, so that ``memlens.lsp.stdio`` can claim stdout before anything heavy.
"""
