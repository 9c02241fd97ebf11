"""The texts and queries that every subject gets: seeded, so each run and each subject sees the same ones.

Standard library only: the peers' own interpreters import this.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

Item = tuple[str, str]
"""The kind and the text of an entry to remember."""

KINDS = ("fact", "preference", "decision", "constraint", "working_note")

_ENGLISH = """
build test deploy release branch merge rebase cache index query vector token editor server client socket
thread async await lock retry timeout schema migrate column table row commit revision manifest entry memory
scope source artifact handoff citation policy review module package version python rust typescript linter
formatter config secret environment staging production region latency budget quota shard replica backup
"""

_CHINESE = """
构建 测试 部署 发布 分支 合并 缓存 索引 查询 向量 编辑器 服务器 客户端 线程 超时 重试 迁移 数据库 提交 版本
清单 记忆 引用 策略 评审 模块 配置 环境 生产 区域 延迟 预算
"""

ENGLISH = _ENGLISH.split()
CHINESE = _CHINESE.split()


def items(count: int, seed: int) -> Iterator[Item]:
    """Yield ``count`` distinct entries, a quarter of them Chinese."""
    rng = random.Random(seed)
    for number in range(count):
        if number % 4 == 3:
            text = "".join(rng.choice(CHINESE) for _ in range(14)) + f"，编号 n{seed}x{number}。"
        else:
            text = " ".join(rng.choice(ENGLISH) for _ in range(22)) + f" id n{seed}x{number}."
        yield KINDS[number % len(KINDS)], text


def queries(count: int, seed: int) -> tuple[list[str], list[str]]:
    """Return ``count`` queries of three English words and ``count`` of two Chinese ones."""
    rng = random.Random(seed)
    english = [" ".join(rng.sample(ENGLISH, 3)) for _ in range(count)]
    chinese = ["".join(rng.sample(CHINESE, 2)) for _ in range(count)]
    return english, chinese
