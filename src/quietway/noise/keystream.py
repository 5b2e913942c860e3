"""Random 64-bit words: the AES-256-CTR keystream of a fresh or derived key."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from hashlib import sha256
from threading import Lock
from typing import NoReturn, Protocol
from weakref import WeakSet

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from quietway.errors import PrivacyError

_KEY_BYTES = 32
_WORD_BYTES = 8
_CIPHER_BLOCK = 16
_WORDS_AT_ONCE = 2**15


class Words(Protocol):
    """An endless sequence of independent uniform 64-bit words, each read once."""

    def claim(self) -> NDArray[np.uint64]:
        """A non-empty run of the next words, all counted as read; valid until the next call."""
        ...

    def give_back(self, count: int) -> None:
        """Count the last `count` words of the run just claimed as unread."""
        ...

    def word(self) -> int:
        """The next word."""
        ...


class Keystream:
    """Words of AES-256 in counter mode.

    Without a key, one is drawn from the operating system, and drawn again in
    a forked child, so that no two processes ever add the same noise. With a
    key, the words repeat from run to run: that is for rehearsals and tests.
    """

    def __init__(self, key: bytes | None = None, *, words_at_once: int = _WORDS_AT_ONCE) -> None:
        self._given_key = key
        self._zeros = bytes(words_at_once * _WORD_BYTES)
        self._bytes = bytearray(len(self._zeros) + _CIPHER_BLOCK)
        self._block = np.frombuffer(self._bytes, dtype=np.uint64, count=words_at_once)
        self._start(os.urandom(_KEY_BYTES) if key is None else key)
        _LIVE.add(self)

    @property
    def secret(self) -> bool:
        """Whether nobody outside this process can know the words."""
        return self._given_key is None

    @contextmanager
    def hold(self) -> Generator[None]:
        """Keep other threads from reading the same words."""
        with self._lock:
            yield

    def claim(self) -> NDArray[np.uint64]:
        """A non-empty run of the next words, all counted as read."""
        self._prepare()
        run = self._block[self._read :]
        self._read = self._block.size
        return run

    def give_back(self, count: int) -> None:
        """Count the last `count` words of the run just claimed as unread."""
        self._read -= count

    def word(self) -> int:
        """The next word."""
        self._prepare()
        self._read += 1
        return int(self._block[self._read - 1])

    def after_fork(self) -> None:
        """Leave the parent's words to the parent; a given key goes on where it was."""
        self._lock = Lock()
        if self.secret:
            self._start(os.urandom(_KEY_BYTES))

    def _start(self, key: bytes) -> None:
        self._lock = Lock()
        self._process = os.getpid()
        self._cipher: CipherContext = Cipher(algorithms.AES(key), modes.CTR(bytes(_CIPHER_BLOCK))).encryptor()
        self._read = self._block.size

    def _prepare(self) -> None:
        # A fork made outside Python does not run its hooks, hence the second guard.
        if self.secret and self._process != os.getpid():
            self.after_fork()
        if self._read == self._block.size:
            self._cipher.update_into(self._zeros, self._bytes)
            self._read = 0

    def __reduce__(self) -> NoReturn:
        raise PrivacyError("noise cannot be copied or pickled: the copy would repeat it; make another source")


def seeded_key(seed: int) -> bytes:
    """The key that stands for a seed."""
    return sha256(b"quietway seeded noise 1:" + str(seed).encode()).digest()


def _after_fork() -> None:
    for stream in list(_LIVE):
        stream.after_fork()


_LIVE: WeakSet[Keystream] = WeakSet()
os.register_at_fork(after_in_child=_after_fork)
