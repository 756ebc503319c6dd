/* SPDX-License-Identifier: MIT
 * The commit of a checkpoint, as lib/runtime/src/checkpoint_store.cpp does it: every rank writes its values, syncs
 * and renames them; the first, when all have said so, writes the manifest, syncs and renames it, and only then
 * prunes what is older than the generation before. All may end at any moment, and what was not synced is lost.
 *
 * Proved: whenever the run ends, the newest generation whose manifest is there is whole; and once one was
 * committed, there is one.
 *
 * -DWITHOUT_ACKNOWLEDGE writes the manifest without waiting for the ranks, -DWITHOUT_FSYNC renames what is not on
 * the disk, -DPRUNE_FIRST prunes before the commit: each must be found wrong.
 */
#define RANKS 2
#define GENERATIONS 3

mtype = { nothing, cached, on_disk };

mtype values[6] = nothing;      /* of a generation and a rank: 2 g + r */
mtype manifest[3] = nothing;
bool committed = false;         /* some generation was, as the program was told */
bool ended = false;
chan done[3] = [RANKS] of { byte };
chan begin[2] = [1] of { byte };

#define whole(g) (values[2 * g] == on_disk && values[2 * g + 1] == on_disk)

proctype writer(byte me) {
  byte g;
end:
  do
  :: begin[me]?g ->
     values[2 * g + me] = cached;
#ifndef WITHOUT_FSYNC
     values[2 * g + me] = on_disk;
#endif
     done[g]!me
  :: ended -> break
  od
}

inline prune(g) {
  if
  :: g >= 2 -> atomic { manifest[g - 2] = nothing; values[2 * (g - 2)] = nothing; values[2 * (g - 2) + 1] = nothing }
  :: else
  fi
}

/* As prune, but of all that is older than the new one, before that is there. */
inline prune_all_before(g) {
  if
  :: g >= 1 -> atomic { manifest[g - 1] = nothing; values[2 * (g - 1)] = nothing; values[2 * (g - 1) + 1] = nothing }
  :: else
  fi
}

proctype first() {
  byte g = 0, from;
  do
  :: g < GENERATIONS && !ended ->
end_1: begin[0]!g;
end_2: begin[1]!g;
#ifndef WITHOUT_ACKNOWLEDGE
end_3: done[g]?from;
end_4: done[g]?from;
#endif
#ifdef PRUNE_FIRST
     prune_all_before(g);
#endif
     manifest[g] = cached;
     manifest[g] = on_disk;     /* fsync of the file and of the folder */
     committed = true;
#ifndef PRUNE_FIRST
     prune(g);
#endif
     g++
  :: ended || g == GENERATIONS -> break
  od
}

/* The machine ends: what is found is what was synced. A manifest that was not may have reached the disk, too; it
 * has a hash, so half of one counts as none. */
proctype end_of_machine() {
  atomic {
    ended = true;
    if
    :: manifest[2] == on_disk -> assert(whole(2))
    :: manifest[2] != on_disk && manifest[1] == on_disk -> assert(whole(1))
    :: manifest[2] != on_disk && manifest[1] != on_disk && manifest[0] == on_disk -> assert(whole(0))
    :: else -> assert(!committed)
    fi
  }
}

init { atomic { run writer(0); run writer(1); run first(); run end_of_machine() } }
