"""Words are AES-CTR, read once, never shared between processes, never copied."""

from __future__ import annotations

import copy
import os
import pickle
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from quietway.errors import PrivacyError
from quietway.noise import NoiseSource, secure, seeded
from quietway.noise.keystream import Keystream, seeded_key

ZEROS = np.zeros(64, dtype=np.int64)
SCALE = Fraction(1000)


def test_words_are_the_cipher_of_zeros() -> None:
    """The keystream equals AES-256-CTR applied to zero bytes, across refills."""
    key = seeded_key(5)
    stream = Keystream(key, words_at_once=7)
    words = [stream.word() for _ in range(40)]
    cipher = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
    assert words == np.frombuffer(cipher.update(bytes(320)), dtype=np.uint64).tolist()


def test_words_given_back_are_read_next() -> None:
    """What a kernel did not use comes out again, and nothing else does."""
    stream, other = Keystream(seeded_key(1), words_at_once=8), Keystream(seeded_key(1), words_at_once=100)
    run = stream.claim().copy()
    stream.give_back(3)
    rest = [stream.word() for _ in range(5)]
    assert run[:5].tolist() + rest == [other.word() for _ in range(10)]


def test_seeds_repeat_and_differ() -> None:
    """A seed determines the noise; another seed, and every secure source, gives other noise."""
    first, again, other = (seeded(seed).laplace(ZEROS, SCALE) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert (secure().laplace(ZEROS, SCALE) != secure().laplace(ZEROS, SCALE)).any()


def noise_of_a_child(source: NoiseSource) -> bytes:
    """What a forked child draws from the parent's source."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(into, source.laplace(ZEROS, SCALE).tobytes())
        os._exit(0)
    os.waitpid(child, 0)
    drawn = os.read(out, ZEROS.nbytes)
    os.close(out)
    os.close(into)
    return drawn


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_forked_children_draw_their_own_noise() -> None:
    """Two children and the parent, all from one buffer of words, share no noise."""
    source = secure()
    source.laplace(ZEROS, SCALE)
    children = [noise_of_a_child(source) for _ in range(2)]
    draws = {*children, source.laplace(ZEROS, SCALE).tobytes()}
    assert len(draws) == 3


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_child_forked_during_a_draw_is_not_locked_out() -> None:
    """The child gets a lock of its own, whatever the parent's threads were doing."""
    stream = Keystream()
    with stream.hold():
        child = os.fork()
        if child == 0:
            signal.alarm(5)
            with stream.hold():
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0


def test_a_foreign_process_number_forces_a_new_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork that ran no hook is still noticed by the process number."""
    stream = Keystream(words_at_once=1000)
    stream.word()
    expected = stream._block[1:].tolist()  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert stream.claim().tolist()[: len(expected)] != expected


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_sources_cannot_be_duplicated(duplicate: Callable[[object], object]) -> None:
    """A copy would add the same noise twice, so copies and pickles are refused."""
    with pytest.raises(PrivacyError, match="repeat"):
        duplicate(Keystream())
    if duplicate is not copy.copy:
        with pytest.raises(PrivacyError, match="repeat"):
            duplicate(secure())


def test_threads_never_read_the_same_words() -> None:
    """Vectors drawn at once by several threads are all different."""
    source = secure()
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(source.laplace, ZEROS, SCALE) for _ in range(400)]
    assert len({drawn.result().tobytes() for drawn in waiting}) == 400


def test_sources_say_nothing_of_their_key() -> None:
    """No representation shows the key or the words."""
    stream = Keystream(b"k" * 32)
    assert "kkkk" not in repr(stream) + repr(seeded(1)) + str(secure())
