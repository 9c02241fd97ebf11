"""Which words are file names and which only look like it."""

from __future__ import annotations

import re

from memlens.anchors.words import word_set

EXTENSIONLESS_FILES = word_set(
    "AUTHORS BUILD CHANGELOG CHANGES CODEOWNERS CONTRIBUTING COPYING Containerfile Dockerfile GNUmakefile Gemfile",
    "Jenkinsfile Justfile LICENSE MAINTAINERS Makefile NEWS NOTICE Pipfile Procfile README Rakefile Vagrantfile",
    "WORKSPACE justfile makefile",
)
"""Files that people name in prose by a bare word without an extension."""

_FILE_TYPES = word_set(
    "adoc astro avsc bash bat bazel bzl c cc cfg cjs clj cmake cmd conf cpp cs csproj css csv cts cxx dart db",
    "dockerfile env erl ex exs fish fs go gradle graphql groovy gyp gypi h hcl hh hpp hrl hs html hxx in ini ipynb j2",
    "jar java jinja jinja2 jl js json json5 jsonc jsonl jsx kt kts less lock lua m md mdc mdx mjs mk ml mli mm mts",
    "nix pem php pl pm po pot properties proto ps1 psd1 psm1 pug pxd pxi py pyi pyx r rb rs rst s sass scala scss sh",
    "sln snap sol spec sql svelte svg swift tcl tf tfvars thrift toml ts tsv tsx txt v vb vim vue wasm xml xsd xsl",
    "yaml yml zig zsh",
)

_ATTRIBUTES = word_set("conf db env in lock properties spec sql")
"""Extensions that are as likely an attribute."""

_PRODUCTS = word_set(
    "asp.net angular.js backbone.js chart.js d3.js discord.js ember.js express.js moment.js next.js node.js nuxt.js",
    "react.js socket.io three.js vue.js",
)
"""Products that are called like files."""

_VERSION = re.compile(r"[vV]?\d+(?:\.(?:\d+|x|\*))+(?:[-.+]?(?:a|b|rc|dev|post|alpha|beta|final)[-.]?\d*)*")

_MEDIA_TYPE = re.compile(r"(?:application|audio|font|image|message|model|multipart|text|video)/[\w.+*-]+")
_GIT_NAME = re.compile(r"(?:origin|upstream|refs|heads)/.*")


_PHRASES = word_set(
    "and/or either/or he/she him/her i/o in/out input/output n/a on/off read/write request/response s/he tcp/ip",
    "true/false w/o yes/no",
)


def is_phrase(word: str) -> bool:
    """Return whether a word with a slash is no path: "and/or", a media type, a branch of a remote."""
    lower = word.lower()
    return lower in _PHRASES or bool(_MEDIA_TYPE.fullmatch(lower) or _GIT_NAME.fullmatch(lower))


def is_known_file_type(pattern: str) -> bool:
    """Return whether the last segment has a stem and an extension that is a file type."""
    stem, dot, extension = pattern.rpartition("/")[2].rpartition(".")
    return bool(dot and stem) and extension.lower() in _FILE_TYPES


def is_unmistakable_file(name: str) -> bool:
    """Return whether a name without a directory is a file's and no attribute, as ``attr.s`` or ``self.lock`` may be."""
    extension = name.rpartition(".")[2].lower()
    return is_known_file_type(name) and len(extension) > 1 and extension not in _ATTRIBUTES


def is_version(word: str) -> bool:
    """Return whether the word is a version number, such as ``3.12`` or ``v1.0.0rc1``."""
    return _VERSION.fullmatch(word) is not None


def is_product(word: str) -> bool:
    """Return whether the word is the name of a product rather than of a file."""
    return word.lower() in _PRODUCTS
