/* SPDX-License-Identifier: MIT
 * A copy that becomes out of date while the message that brings it is still under way. A reader's rank fetches
 * version 1 of a datum, then the owner writes version 2, then the reader's rank fetches again. The graph puts the
 * second receive behind the first one's readers, and the header says which version travels (D509, D004): whichever
 * order the frames take, a reader sees the version that the sequence says.
 *
 * Proved: reader 1 sees version 1, reader 2 sees version 2, and both run.
 *
 * -DWITHOUT_ORDER takes the edge away; -DWITHOUT_VERSION matches frames by their tag alone: each must be found wrong.
 */
chan wire = [2] of { byte };   /* the version that travels; any order */

byte owners = 1;               /* the owner's value */
byte copy = 0;                 /* the copy on the reader's rank; 0: nothing yet */
bool received1 = false, received2 = false, ran1 = false, ran2 = false;

/* Sends behind the write that makes the version, in the owner's graph. */
active proctype owner() {
  wire!owners;
  owners = 2;
  wire!owners
}

proctype receive1() {
#ifdef WITHOUT_VERSION
  atomic { if :: wire??1 -> copy = 1 :: wire??2 -> copy = 2 fi; received1 = true }
#else
  atomic { wire??1 -> copy = 1; received1 = true }
#endif
}

proctype receive2() {
#ifndef WITHOUT_ORDER
  ran1;                        /* a writer waits for the readers before it */
#endif
#ifdef WITHOUT_VERSION
  atomic { if :: wire??1 -> copy = 1 :: wire??2 -> copy = 2 fi; received2 = true }
#else
  atomic { wire??2 -> copy = 2; received2 = true }
#endif
}

proctype reader1() { atomic { received1 -> assert(copy == 1); ran1 = true } }
proctype reader2() { atomic { received2 -> assert(copy == 2); ran2 = true } }

init { atomic { run receive1(); run receive2(); run reader1(); run reader2() } }

ltl all_run { <> (ran1 && ran2) }
