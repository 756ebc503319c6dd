/* SPDX-License-Identifier: MIT
 * One version for many readers: the owner serves the first three, holders pass it on to those that come later
 * (`ledger::source`). Every rank derives the same tree from the same sequence, so a holder knows that it has to
 * send before it has anything: its send stands behind its own receive. The last reader joins late, when the others
 * have read, and may join after the owner has written again.
 *
 * Proved: every reader gets version 1, exactly once, and nobody waits for ever.
 *
 * -DSENDS_EARLY lets a holder send before it has received; -DOWNER_OVERWRITES lets the next version arrive at the
 * holder before it has passed the old one on: each must be found wrong.
 */
#define READERS 5                          /* 1 to 3 from the owner, 4 from 1, 5 from 2 */

chan to[6] = [2] of { byte };
byte copy[6] = 0;
byte got[6] = 0;
bool passed_on = false;

/* Rank 0 writes version 1, sends it to three, then writes version 2 for rank 1, who reads again. */
active proctype owner() {
  to[1]!1; to[2]!1; to[3]!1;
  to[1]!2
}

/* Rank 1: reads, passes on to rank 4, then reads version 2. */
active proctype holder1() {
  byte version;
#ifdef SENDS_EARLY
  to[4]!copy[1];
#endif
  to[1]?version; copy[1] = version; got[1]++;
  assert(version == 1);
#ifdef OWNER_OVERWRITES
  if :: to[1]?version -> copy[1] = version :: skip fi;
#endif
#ifndef SENDS_EARLY
  to[4]!copy[1];
#endif
  passed_on = true;
#ifndef OWNER_OVERWRITES
  to[1]?version; copy[1] = version; assert(version == 2)
#endif
}

active proctype holder2() {
  byte version;
  to[2]?version; copy[2] = version; got[2]++;
  to[5]!copy[2]
}

proctype reader(byte me) {
  byte version;
  to[me]?version; copy[me] = version; got[me]++;
  assert(version == 1)
}

/* Joins when everybody else has it. */
proctype late_reader() {
  byte version;
  got[3] == 1 && got[2] == 1;
  to[5]?version; got[5]++;
  assert(version == 1)
}

init { atomic { run reader(3); run reader(4); run late_reader() } }

ltl all_read { <> (got[1] == 1 && got[2] == 1 && got[3] == 1 && got[4] == 1 && got[5] == 1) }
