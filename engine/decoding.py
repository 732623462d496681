"""Decoding of JSON and MessagePack into types, from any thread.

msgspec builds what it knows of a class when something of its kind is first decoded, and keeps it at
the class before it is whole: another thread that decodes the class meanwhile ends the process
(msgspec 0.22). Here one thread after the other builds; nothing else in the program decodes into a
type.
"""

import os
import threading
from typing import Any, TypeVar, overload

import msgspec
from typing_extensions import Buffer

_Kind = TypeVar("_Kind")

_lock = threading.Lock()
_built: set[object] = set()  # types that are whole
if hasattr(os, "register_at_fork"):  # no child begins with a type that is half built, or locked
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


@overload
def decode_json(content: Buffer | str, kind: type[_Kind]) -> _Kind: ...
@overload
def decode_json(content: Buffer | str, kind: Any) -> Any: ...
def decode_json(content: Buffer | str, kind: Any) -> Any:
    """Return what JSON says. Raises ``msgspec.MsgspecError`` and others: see ``UNDECODABLE``."""
    _build(kind)
    return msgspec.json.decode(content, type=kind)


@overload
def decode_msgpack(content: Buffer, kind: type[_Kind]) -> _Kind: ...
@overload
def decode_msgpack(content: Buffer, kind: Any) -> Any: ...
def decode_msgpack(content: Buffer, kind: Any) -> Any:
    """Return what MessagePack says. Raises as :func:`decode_json` does."""
    _build(kind)
    return msgspec.msgpack.decode(content, type=kind)


@overload
def convert(value: object, kind: type[_Kind]) -> _Kind: ...
@overload
def convert(value: object, kind: Any) -> Any: ...
def convert(value: object, kind: Any) -> Any:
    """Return plain values as a type. Raises ``msgspec.ValidationError``."""
    _build(kind)
    return msgspec.convert(value, kind)


@overload
def json_decoder(kind: type[_Kind]) -> msgspec.json.Decoder[_Kind]: ...
@overload
def json_decoder(kind: Any) -> msgspec.json.Decoder[Any]: ...
def json_decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    """Return what decodes JSON into a type again and again."""
    _build(kind)
    return msgspec.json.Decoder(kind)


@overload
def msgpack_decoder(kind: type[_Kind]) -> msgspec.msgpack.Decoder[_Kind]: ...
@overload
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]: ...
def msgpack_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """Return what decodes MessagePack into a type again and again."""
    _build(kind)
    return msgspec.msgpack.Decoder(kind)


def _build(kind: object) -> None:
    """Have all that is known of a type built, for JSON too: MessagePack takes each type."""
    if kind in _built:
        return
    with _lock:
        msgspec.msgpack.Decoder(kind)
        _built.add(kind)
