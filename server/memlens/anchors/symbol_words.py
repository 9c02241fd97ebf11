"""Which words are names of symbols, by how they are written, and which names look like it and are none."""

from __future__ import annotations

import re
from enum import Enum, auto

from memlens.anchors.words import word_set


class Shape(Enum):
    """How a name is written, and so how sure it is that it is code."""

    CODE = auto()
    """``snake_case``, ``camelCase``, ``CamelCase``, ``CONSTANT_CASE``, ``_private``: no word of any language."""
    DUNDER = auto()
    """``__version__``."""
    CAPITALISED = auto()
    """``Reply``: a type where it is one, else a word."""
    CAPITALS = auto()
    """``ATTRS``: a constant where it is one, else an abbreviation."""
    PLAIN = auto()
    """``send``: a word."""


IDENTIFIER = r"[A-Za-z_$][A-Za-z0-9_$]*"
SEPARATOR = r"(?:\.|::|#|->)"

_DUNDER = re.compile(r"__\w+__")
_HUMP = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2}|[A-Z]{2,}[a-z]\w*[A-Z]")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9]+")
_CAPITALISED = re.compile(r"[A-Z][A-Za-z0-9]*")

_PRODUCTS = word_set(
    "AirBnB AppVeyor AsyncAPI BitBucket BrowserStack ChatGPT CircleCI ClickHouse CloudFlare CloudFront CockroachDB",
    "CodeCov CodeQL CoffeeScript CommonJS CouchDB DataDog DevOps DigitalOcean DockerHub DuckDB DynamoDB ESLint",
    "ElasticSearch FastAPI FreeBSD GitBook GitHub GitLab GitOps GraphQL HashiCorp HuggingFace IPv4 IPv6 IntelliJ",
    "JavaScript JavaDoc JSONPath JetBrains LaTeX LangChain LinkedIn LlamaIndex MariaDB MathML McDonald MicroPython",
    "MongoDB MyPy MySQL NetBSD NodeJS NumPy OAuth OAuth1 OAuth2 OceanBase OpenAI OpenAPI OpenBSD OpenCV OpenGL",
    "OpenID OpenJDK OpenSSF OpenSSH OpenSSL OpenStack OpenTelemetry PayPal PostScript PostgreSQL PowerPoint",
    "PowerShell PyCharm PyInstaller PyPI PyPy PyQt PySide PyTest PyTorch RabbitMQ ReadTheDocs ReasonML RedHat",
    "RubyGems SciPy SemVer SharePoint SonarQube SourceForge SpaceX SQLAlchemy SQLite StackOverflow SwiftUI TensorFlow",
    "TeamCity TestPyPI TypeScript UnitTest VirtualBox VSCode WebAssembly WebGL WebHook WebHooks WebKit WebRTC",
    "WebSocket WebSockets WhatsApp WordPress XCode YouTube ZeroMQ eBay gRPC iCloud iOS iPad iPadOS iPhone jQuery",
    "macOS npmJS openSUSE tvOS watchOS",
)
"""Products and techniques that are written like symbols, and named in prose far more often than symbols are."""


def shape_of(name: str) -> Shape:
    """Return how ``name``, an identifier, is written."""
    if _DUNDER.fullmatch(name):
        return Shape.DUNDER
    if "_" in name.strip("_") or "$" in name or (name.startswith("_") and len(name) > 2) or _HUMP.search(name):
        return Shape.CODE
    if _CAPITALS.fullmatch(name):
        return Shape.CAPITALS
    return Shape.CAPITALISED if _CAPITALISED.fullmatch(name) else Shape.PLAIN


def is_constant_case(name: str) -> bool:
    """Return whether ``name`` is written like ``MAX_RETRIES``."""
    return name.isupper() and "_" in name.strip("_")


def is_named_product(name: str) -> bool:
    """Return whether ``name`` is a product rather than a symbol."""
    return name in _PRODUCTS
