"""The packages of client/follow/python for tests. What `Follower` makes reads exact paths and streams within a tolerance."""
import functools
import os
import sys

PYTHON = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../client/follow/python")
sys.path[:0] = [os.path.join(PYTHON, package) for package in ("collide_wire", "collide_follow", "collide_follow_quantized")]
# pylint: disable=wrong-import-position
import collide_follow
from collide_follow import FollowError  # pylint: disable=unused-import
from collide_follow_quantized import Quantized
from collide_wire import Delimited, bits, double  # pylint: disable=unused-import

Follower = functools.partial(collide_follow.Follower, quantized=Quantized)
