"""Equal positions of the window made one: the mean of their policies, results and values."""

import numpy as np
import numpy.typing as npt

from boardzero.games.bits import signed
from boardzero.games.compiled import compiled
from boardzero.games.counting import hash_state
from boardzero.replay.positions import Positions


def merge_equal(positions: Positions, action_count: int, weight_power: float) -> Positions:
    """Each different state once, in the order of first occurrence; one seen n times weighs n ** weight_power."""
    group_of, groups = _group_equal(positions.states)
    counts = np.bincount(group_of, minlength=groups)
    first = np.empty(groups, np.int64)
    first[group_of[::-1]] = np.arange(positions.size)[::-1]  # the last to be written is the oldest of the group
    starts = np.empty(groups, np.int64)
    entry_counts = np.empty(groups, np.int32)
    actions = np.empty(len(positions.policy_actions), np.int32)
    probabilities = np.empty(len(positions.policy_actions), np.float32)
    members = np.argsort(group_of, kind="stable")
    used = _mean_policies(positions, members, counts, action_count, starts, entry_counts, actions, probabilities)
    return Positions(
        states=positions.states[first],
        policy_starts=starts,
        policy_counts=entry_counts,
        policy_actions=actions[:used].copy(),
        policy_probabilities=probabilities[:used].copy(),
        results=_means(positions.results, group_of, counts),
        values=_means(positions.values, group_of, counts),
        weights=(counts**weight_power).astype(np.float32),
        games=positions.games[first],
        plies=positions.plies[first],
        plies_left=np.rint(_means(positions.plies_left, group_of, counts)).astype(np.int32),
        endings=positions.endings.merged(members, counts),
    )


def _means(
    values: npt.NDArray[np.float32] | npt.NDArray[np.int32], group_of: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    return (np.bincount(group_of, weights=values, minlength=len(counts)) / counts).astype(np.float32)


@compiled()
def _group_equal(states: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.int64], int]:
    """For each state the number of its group, and the number of groups; an open-addressed table finds equal states."""
    count = len(states)
    slots = 1024
    while slots < 2 * count:
        slots *= 2
    table = np.full(slots, -1, np.int64)  # the first state of a group, or −1
    group_of = np.empty(count, np.int64)
    groups = 0
    for index in range(count):
        slot = signed(hash_state(states[index]) & np.uint64(slots - 1))
        while table[slot] >= 0 and not np.array_equal(states[table[slot]], states[index]):
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:
            table[slot] = index
            group_of[index] = groups
            groups += 1
        else:
            group_of[index] = group_of[table[slot]]
    return group_of, groups


@compiled()
def _mean_policies(
    positions: Positions,
    members: npt.NDArray[np.int64],
    counts: npt.NDArray[np.int64],
    action_count: int,
    starts: npt.NDArray[np.int64],
    entry_counts: npt.NDArray[np.int32],
    actions: npt.NDArray[np.int32],
    probabilities: npt.NDArray[np.float32],
) -> int:
    """The mean policy of each group, whose members lie one after another; returns how many entries there are."""
    sums = np.zeros(action_count, np.float64)
    used, member = 0, 0
    for group in range(len(counts)):
        starts[group] = used
        for index in members[member : member + counts[group]]:
            first = positions.policy_starts[index] - positions.policy_base
            for entry in range(first, first + positions.policy_counts[index]):
                action = positions.policy_actions[entry]
                if sums[action] == 0:
                    actions[used] = action
                    used += 1
                sums[action] += positions.policy_probabilities[entry]
        for entry in range(starts[group], used):
            probabilities[entry] = sums[actions[entry]] / counts[group]
            sums[actions[entry]] = 0
        entry_counts[group] = used - starts[group]
        member += counts[group]
    return used
