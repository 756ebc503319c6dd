/* SPDX-License-Identifier: MIT
 * The commit of a checkpoint with copies, as lib/runtime/src/checkpoint.cpp does it, on machines that are lost with
 * their disks. Each of two ranks writes its values and keeps a copy of the other's; when all have said so, the
 * partner of the first writes the manifest, then the first does, and only then is the program told and what is
 * older than the generation before removed. The run may end at any moment, and one disk with it.
 *
 * Proved: the newest generation with a manifest on the disk that is left can be put together from that disk alone;
 * and once the program was told of one, there is one, not older than that.
 *
 * -DWITHOUT_COPY_OF_THE_MANIFEST keeps the manifest at the first alone, -DTOLD_BEFORE_THE_COPY has the first commit
 * and tell before its partner does, -DWITHOUT_ACKNOWLEDGE waits for no copies, -DPRUNE_FIRST prunes before the
 * commit: each must be found wrong.
 */
#define GENERATIONS 3

bool values[6] = false;         /* of a generation and a rank, on its disk: 2 g + r */
bool copies[6] = false;         /* of the other rank's values, on this one's disk */
bool manifests[6] = false;
byte told = 0;                  /* generations that the program was told of */
bool ended = false;
chan done = [4] of { byte };
chan begin[2] = [1] of { byte };

#define at(g, r) (2 * (g) + (r))
#define whole(g, r) (values[at(g, r)] && copies[at(g, r)])

/* What it writes counts once it is synced: what happens in between is in checkpoint.pml. */
proctype rank(byte me) {
  byte g;
end:
  do
  :: begin[me]?g ->
     values[at(g, me)] = true;
     copies[at(g, me)] = true;  /* from here on it comes whole, or not */
     done!me
  :: ended -> break
  od
}

inline forget(g) {
  d_step {
    manifests[at(g, 0)] = false; values[at(g, 0)] = false; copies[at(g, 0)] = false;
    manifests[at(g, 1)] = false; values[at(g, 1)] = false; copies[at(g, 1)] = false
  }
}
inline prune(g) { if :: g >= 2 -> forget(g - 2) :: else fi }
inline prune_all_before(g) { if :: g >= 1 -> forget(g - 1) :: else fi }

proctype first() {
  byte g = 0, from;
  do
  :: g < GENERATIONS && !ended ->
end_1: begin[0]!g;
end_2: begin[1]!g;
#ifndef WITHOUT_ACKNOWLEDGE
end_3: done?from;
end_4: done?from;
#endif
#ifdef PRUNE_FIRST
     prune_all_before(g);
#endif
#ifndef WITHOUT_COPY_OF_THE_MANIFEST
#ifndef TOLD_BEFORE_THE_COPY
     manifests[at(g, 1)] = true;
#endif
#endif
     manifests[at(g, 0)] = true;
     told = g + 1;
#ifdef TOLD_BEFORE_THE_COPY
     manifests[at(g, 1)] = true;
#endif
#ifndef PRUNE_FIRST
     prune(g);
#endif
     g++
  :: ended || g == GENERATIONS -> break
  od
}

/* What is left is one disk. */
inline look_at(r) {
  if
  :: manifests[at(2, r)] -> assert(whole(2, r))
  :: !manifests[at(2, r)] && manifests[at(1, r)] -> assert(whole(1, r) && told <= 2)
  :: !manifests[at(2, r)] && !manifests[at(1, r)] && manifests[at(0, r)] -> assert(whole(0, r) && told <= 1)
  :: else -> assert(told == 0)
  fi
}

proctype end_of_machine() {
  byte left;
  atomic {
    ended = true;
    if :: left = 0 :: left = 1 fi;
    look_at(left)
  }
}

init { atomic { run rank(0); run rank(1); run first(); run end_of_machine() } }
