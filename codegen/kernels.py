"""Regions to SPIR-V kernels: memory, then the disk cache, then render and compile."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial

from vkml import counting, locks
from vkml.errors import CompileError
from vkml.limits import Verdicts
from vkml.program import SpirvKernel

from . import debugging
from .cache import KernelCache
from .compiler import compiler_identity
from .digest import code_digest
from .expression import expression
from .kernel import Parameters, Region
from .keys import region_key

__all__ = ["Kernels", "Outlines"]


class Kernels:
    """The kernels of one device: what its verdicts make of regions."""

    def __init__(self, cache: KernelCache, verdicts: Verdicts) -> None:
        self.cache = cache
        self.verdicts = verdicts
        self._made: dict[Region, SpirvKernel] = {}
        self._lock = locks.lock()

    @property
    def known(self) -> list[Region]:
        """The regions whose kernels are in memory."""
        return list(self._made)

    def index_key(self, region: Region) -> str:
        """What names the kernel on disk: text generator, compiler, verdicts and region."""
        compiler = compiler_identity("none", self.cache.records)
        return "\n".join((code_digest(), compiler, self.verdicts.text(), region_key(region)))

    def source(self, region: Region) -> str:
        """The GLSL text of a region's kernel."""
        from .render import render  # jinja2 is not for warm starts

        key = hashlib.sha256(region_key(region).encode()).hexdigest()[:16]
        return render(region, self.verdicts, title=expression(region), key=key)

    def kernels(
        self, regions: Sequence[Region], where: Callable[[Region], str] | None = None
    ) -> list[SpirvKernel]:
        """The kernel of each region, compiling what is new in one batch.

        `where` names the user's line of a region for errors. Raises CompileError naming the first
        kernel that failed; the others of the batch are kept.
        """
        with self._lock:
            missing: list[Region] = []
            new = [region for region in dict.fromkeys(regions) if region not in self._made]
            for region in new:
                spirv = self.cache.lookup(self.index_key(region))
                if spirv is None:
                    missing.append(region)
                else:
                    self._made[region] = self._kernel(region, spirv)
            if missing:
                self._compile(missing, where)
            if new and debugging.active:
                made = [(region, self._made[region]) for region in new]
                debugging.new_kernels(self, made, missing, where)
            return [self._made[region] for region in regions]

    def _compile(
        self, missing: list[Region], where: Callable[[Region], str] | None
    ) -> None:
        from .shaderc import Source, compile_kernels

        texts = [self.source(region) for region in missing]
        counting.add("kernels_generated", len(texts))
        identity = compiler_identity("none", self.cache.records)
        known = [self.cache.lookup_source(text, identity) for text in texts]
        new = [index for index, spirv in enumerate(known) if spirv is None]
        sources = [
            Source(
                expression(missing[index]),
                texts[index],
                None if where is None else partial(where, missing[index]),
            )
            for index in new
        ]
        results: list[bytes | CompileError | None] = list(known)
        for index, compiled in zip(new, compile_kernels(sources), strict=True):
            results[index] = compiled
        failed: CompileError | None = None
        for region, text, result in zip(missing, texts, results, strict=True):
            if isinstance(result, CompileError):
                debugging.dump_failed(hashlib.sha256(text.encode()).hexdigest()[:12], text)
                failed = failed or result
                continue
            assert result is not None
            self.cache.store(
                self.index_key(region), result,
                source=text, title=expression(region), compiler=identity,
            )  # fmt: skip
            self._made[region] = self._kernel(region, result)
        if failed is not None:
            raise failed

    @staticmethod
    def _kernel(region: Region, spirv: bytes) -> SpirvKernel:
        title = expression(region)
        digest = hashlib.sha256(spirv).hexdigest()
        return SpirvKernel(
            f"map_{digest[:12]}",
            digest,
            spirv,
            len(region.operands) + len(region.outputs),
            Parameters(region).nbytes,
            "",
            title,
            region.segmented,
        )


class Outlines(Kernels):
    """Kernels that are described and never compiled: for looking at a plan before it runs."""

    def __init__(self, verdicts: Verdicts) -> None:
        super().__init__(KernelCache(None), verdicts)

    def kernels(
        self, regions: Sequence[Region], where: Callable[[Region], str] | None = None
    ) -> list[SpirvKernel]:
        """The kernel of each region, without SPIR-V."""
        return [self._kernel(region, b"") for region in regions]
