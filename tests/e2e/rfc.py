"""The sentences of the RFC's worked example, "Coding Agent 场景示例"."""

from __future__ import annotations

import json

BUILD = "powercontext 使用 uv 管理依赖并使用 Hatchling 构建。"
CHECKS = "验证约定：常规代码变更运行 make test；评审前运行 make check。"
CHECKS_REVISED = "验证约定：常规代码变更运行 make test；仅文档变更优先运行 make docs-test；评审前运行 make check。"
SITE = "site/ 是生成输出，不作为源材料修改。"
USER_NOTE = "改文档时不用跑完整 make test，优先跑 make docs-test。"
QUESTION = "修改文档前需要知道哪些构建和验证约定？"

ENTRIES = (
    {"key": "build", "kind": "fact", "text": BUILD, "evidence": ["AGENTS.md", "pyproject.toml"]},
    {"key": "checks", "kind": "preference", "text": CHECKS, "evidence": ["AGENTS.md", "Makefile"]},
    {"key": "site", "kind": "constraint", "text": SITE, "evidence": ["AGENTS.md"]},
)

IMPORT = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in ENTRIES)
