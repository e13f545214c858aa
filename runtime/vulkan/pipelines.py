"""Compute pipelines from SPIR-V, their layouts, and the driver's own pipeline data."""

from __future__ import annotations

import logging
import os
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from vkml import counting, locks
from vkml.errors import CompileError, DeviceError, OutOfMemoryError
from vkml.program import SpirvKernel

from . import constants as c
from .functions import Functions
from .loader import ffi
from .structures import address, array, check, handle, make, out

__all__ = ["Layout", "Pipeline", "Pipelines", "Recipe"]

Recipe = tuple[SpirvKernel, tuple[int, ...]]
"""A kernel and its specialisation constants."""

_SAVE_SECONDS = 5.0
_log = logging.getLogger("vkml")


@dataclass(frozen=True, slots=True)
class Layout:
    """Descriptor set 0 with a parameter block and `buffers` storage buffers."""

    buffers: int
    set_layout: int
    pipeline_layout: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A compiled pipeline and its layout."""

    handle: int
    layout: Layout


class Pipelines:
    """Every pipeline of a device; locked by itself, because a driver may compile for seconds."""

    def __init__(
        self, vk: Functions, device: int, header: tuple[int, int, bytes], parallel: bool
    ) -> None:
        self.vk = vk
        self.device = device
        self.header = header
        self.parallel = parallel
        self._lock = locks.lock()
        self._layouts: dict[int, Layout] = {}
        self._pipelines: dict[tuple[str, tuple[int, ...]], Pipeline] = {}
        self._cache = 0
        self._initial: bytes | None = None
        self._save: Callable[[bytes], None] | None = None
        self._unsaved = 0
        self._saved_at = 0.0

    def attach(self, data: bytes | None, save: Callable[[bytes], None]) -> None:
        """Start from the driver's `data` of an earlier process, and give new data to `save`."""
        with self._lock:
            self._save = save
            if data is None or not self._fits(data):
                return
            if not self._cache:
                self._initial = data
                return
            other = self._create_cache(data)
            try:
                sources = array("uint64_t", [other])
                self.vk.vkMergePipelineCaches(self.device, self._cache, 1, address(sources))
            finally:
                self.vk.vkDestroyPipelineCache(self.device, other, None)

    @property
    def attached(self) -> bool:
        """Whether pipeline data are kept."""
        return self._save is not None

    def find(self, recipes: Iterable[Recipe]) -> list[Pipeline]:
        """The pipelines of `recipes`, made where they are new.

        Raises CompileError naming the kernel that the driver refused, or OutOfMemoryError.
        """
        wanted = list(recipes)
        missing: dict[tuple[str, tuple[int, ...]], Recipe] = {}
        for kernel, constants in wanted:
            key = (kernel.digest, constants)
            if key not in self._pipelines:
                missing[key] = (kernel, constants)
        if missing:
            with self._lock:
                self._create(
                    {key: recipe for key, recipe in missing.items() if key not in self._pipelines}
                )
        return [self._pipelines[kernel.digest, constants] for kernel, constants in wanted]

    def save(self, now: bool = False) -> None:
        """Hand the driver's pipeline data on, at most every few seconds unless `now`."""
        if self._save is None or not self._unsaved:
            return
        if not now and time.monotonic() - self._saved_at < _SAVE_SECONDS:
            return
        data = self._data()
        self._saved_at = time.monotonic()
        self._unsaved = 0
        if data:
            try:
                self._save(data)
            except OSError as error:
                _log.warning("pipeline data not saved: %s", error)

    def close(self) -> None:
        """Destroy everything; the device is idle."""
        for pipeline in self._pipelines.values():
            self.vk.vkDestroyPipeline(self.device, pipeline.handle, None)
        for layout in self._layouts.values():
            self.vk.vkDestroyPipelineLayout(self.device, layout.pipeline_layout, None)
            self.vk.vkDestroyDescriptorSetLayout(self.device, layout.set_layout, None)
        if self._cache:
            self.vk.vkDestroyPipelineCache(self.device, self._cache, None)
        self._pipelines.clear()
        self._layouts.clear()
        self._cache = 0

    def _create(self, missing: dict[tuple[str, tuple[int, ...]], Recipe]) -> None:
        if not self._cache:
            self._cache = self._create_cache(self._initial)
            self._initial = None
        for kernel, _ in missing.values():
            self._layout(kernel.bindings + kernel.segmented)
        if self.parallel and len(missing) > 1:
            from concurrent.futures import ThreadPoolExecutor  # only where it is needed

            with ThreadPoolExecutor(min(len(missing), os.cpu_count() or 1)) as workers:
                made = [workers.submit(self._compile, *recipe) for recipe in missing.values()]
            outcomes = [future.exception() or future.result() for future in made]
        else:
            outcomes = []
            for recipe in missing.values():
                try:
                    outcomes.append(self._compile(*recipe))
                except Exception as error:
                    outcomes.append(error)
                    break
        failure: BaseException | None = None
        for key, outcome in zip(missing, outcomes, strict=False):
            if isinstance(outcome, Pipeline):
                self._pipelines[key] = outcome
                self._unsaved += 1
                counting.add("pipelines_created")
            else:
                failure = failure or outcome
        if failure is not None:
            raise failure
        self.save()

    def _compile(self, kernel: SpirvKernel, constants: tuple[int, ...]) -> Pipeline:
        """One pipeline; safe to run in several threads at once."""
        layout = self._layouts[kernel.bindings + kernel.segmented]
        code = ffi().new("char[]", kernel.spirv)
        place = out()
        information = make(
            "VkShaderModuleCreateInfo",
            codeSize=len(kernel.spirv),
            pCode=ffi().cast("uint32_t *", code),
        )
        self._refusable(
            kernel,
            self.vk.vkCreateShaderModule(self.device, address(information), None, address(place)),
            "vkCreateShaderModule",
        )
        module = place[0]
        try:
            values = array("uint32_t", [value & 0xFFFFFFFF for value in constants] or [0])
            entries = ffi().new("VkSpecializationMapEntry[]", max(1, len(constants)))
            for index in range(len(constants)):
                entries[index].constantID = index
                entries[index].offset = 4 * index
                entries[index].size = 4
            special = make(
                "VkSpecializationInfo",
                mapEntryCount=len(constants),
                pMapEntries=entries,
                dataSize=4 * len(constants),
                pData=values,
            )
            stage = make(
                "VkPipelineShaderStageCreateInfo",
                stage=c.VK_SHADER_STAGE_COMPUTE_BIT,
                module=handle("VkShaderModule", module),
                pName="main",
                pSpecializationInfo=special,
            )
            request = make(
                "VkComputePipelineCreateInfo",
                stage=stage[0],
                layout=handle("VkPipelineLayout", layout.pipeline_layout),
            )
            result = self.vk.vkCreateComputePipelines(
                self.device, self._cache, 1, address(request), None, address(place)
            )
            self._refusable(kernel, result, "vkCreateComputePipelines")
            return Pipeline(place[0], layout)
        finally:
            self.vk.vkDestroyShaderModule(self.device, module, None)

    def _refusable(self, kernel: SpirvKernel, result: int, call: str) -> None:
        try:
            check(result, call)
        except OutOfMemoryError as error:
            raise OutOfMemoryError(
                f"kernel {kernel.name} ({kernel.title}): {error.message}"
            ) from None
        except DeviceError as error:
            if result == c.VK_ERROR_DEVICE_LOST:
                raise
            raise CompileError(
                f"the driver refused kernel {kernel.name} ({kernel.title}): {error.message}"
            ) from None

    def _layout(self, buffers: int) -> Layout:
        found = self._layouts.get(buffers)
        if found is not None:
            return found
        parameters = c.VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
        bindings = ffi().new("VkDescriptorSetLayoutBinding[]", buffers + 1)
        for index in range(buffers + 1):
            bindings[index].binding = index
            kind = c.VK_DESCRIPTOR_TYPE_STORAGE_BUFFER if index else parameters
            bindings[index].descriptorType = kind
            bindings[index].descriptorCount = 1
            bindings[index].stageFlags = c.VK_SHADER_STAGE_COMPUTE_BIT
        place = out()
        information = make(
            "VkDescriptorSetLayoutCreateInfo", bindingCount=buffers + 1, pBindings=bindings
        )
        check(
            self.vk.vkCreateDescriptorSetLayout(
                self.device, address(information), None, address(place)
            ),
            "vkCreateDescriptorSetLayout",
        )
        set_layout = place[0]
        sets = ffi().new("VkDescriptorSetLayout[]", [handle("VkDescriptorSetLayout", set_layout)])
        request = make("VkPipelineLayoutCreateInfo", setLayoutCount=1, pSetLayouts=sets)
        result = self.vk.vkCreatePipelineLayout(self.device, address(request), None, address(place))
        if result != c.VK_SUCCESS:
            self.vk.vkDestroyDescriptorSetLayout(self.device, set_layout, None)
        check(result, "vkCreatePipelineLayout")
        layout = Layout(buffers, set_layout, place[0])
        self._layouts[buffers] = layout
        return layout

    def _create_cache(self, data: bytes | None) -> int:
        content = ffi().new("char[]", data or b"\0")
        information = make(
            "VkPipelineCacheCreateInfo", initialDataSize=len(data or b""), pInitialData=content
        )
        place = out()
        check(
            self.vk.vkCreatePipelineCache(self.device, address(information), None, address(place)),
            "vkCreatePipelineCache",
        )
        return int(place[0])

    def _fits(self, data: bytes) -> bool:
        """Whether `data` has the header of this very driver: others have crashed on less."""
        if len(data) < 32:
            return False
        size, version, vendor, device = struct.unpack_from("<IIII", data)
        return (
            size >= 32
            and version == c.VK_PIPELINE_CACHE_HEADER_VERSION_ONE
            and (vendor, device, data[16:32]) == self.header
        )

    def _data(self) -> bytes | None:
        size: Any = ffi().new("size_t *")
        result = self.vk.vkGetPipelineCacheData(self.device, self._cache, address(size), None)
        if result == c.VK_SUCCESS and size[0]:
            content = ffi().new("char[]", size[0])
            result = self.vk.vkGetPipelineCacheData(
                self.device, self._cache, address(size), address(content)
            )
            if result == c.VK_SUCCESS:
                return bytes(ffi().buffer(content, size[0]))
        _log.warning("pipeline data not saved: VkResult %d", result)
        return None
