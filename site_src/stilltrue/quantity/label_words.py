"""Words around a number that make it a name, and words that do not: explicit tables."""

from __future__ import annotations

_LABELS = """
port line page section chapter part figure fig fig. table eq eq. equation appendix step layer row column
item rule note point issue bug ticket pr request commit rev revision version release rfc pep iso cve seed
rank device node worker epoch iteration day week phase stage level tier option case example exercise
question number no no. nr nr. code status error exit id channel slot index position year v v. vol vol.
volume lesson landmine room grade article
"""
LABELS = frozenset(_LABELS.split())
"""`port 8080`, `line 41`: a bare whole number right after one of these tells which one is meant."""

_DECIMAL_LABELS = """
section chapter figure fig fig. table eq eq. equation appendix version versions release releases v since
"""
DECIMAL_LABELS = frozenset(_DECIMAL_LABELS.split())
"""`section 4.2`, `since 5.15`: those that a number with a point may follow too."""

_SOFTWARE = """
torch pytorch transformers numpy scipy pandas pyarrow python cuda cudnn cublas nccl rocm node npm pip git
make gcc clang cmake triton vllm jax flax peft trl accelerate deepspeed megatron flash-attn xformers
tensorrt onnx mkdocs material click pytest ruff mypy linux ubuntu debian macos windows ios android kernel
driver docker sqlite postgres redis ray slurm go rust java ruby node.js bash zsh setuptools hatchling uv
conda llvm openssl
"""
SOFTWARE = frozenset(_SOFTWARE.split())
"""A number after one of these is its version, however it is written."""

_OPENERS = """
a about above additional after all almost also although an and any around as at average because before
below between both but by capped circa did do does each eight either even every exactly fewer five for
four from given had half has have here how if in is it its just largest least less longest longer many
maximum mean median minimum more most nearly no not of on once only or other out over per roughly shorter
shortest since six smallest so some take takes than that the their them then there these they this those
three through to took total two under until up use uses was we were what when where whether which while
with within without yet you your
"""
OPENERS = frozenset(_OPENERS.split())
"""Words that a sentence may begin with, so that their capital makes no name of the number after them."""

MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
"""The months, as part of a pattern."""
