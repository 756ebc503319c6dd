/* SPDX-License-Identifier: MIT
 * The proof that nothing will happen any more, as lib/transport/src/quiescence.cpp gives it: rank 0 sends a wave
 * of probes, a rank answers when it is idle, with how many frames it sent and received; two waves with equal
 * counts, as many sent as received, are the proof. Three ranks, frames that arrive in any order.
 *
 * Proved: a proof is given only when nobody works and nothing is on its way (no false report), and where the work
 * ends, it is given (no missed one).
 *
 * -DONE_WAVE leaves out the second wave: it must be found wrong.
 */
#define RANKS 3
#define WORK 2                       /* frames that may be sent, in all */

chan frames[RANKS] = [WORK] of { bit };
chan probes[RANKS] = [1] of { byte };
chan replies = [RANKS] of { byte, byte, byte };   /* rank, sent, received */

bool idle[RANKS];
byte sent[RANKS], received[RANKS];
byte left = WORK;
bool proved = false;

#define on_its_way (len(frames[0]) + len(frames[1]) + len(frames[2]))

inline wake_up(me) { idle[me] = false }

/* Works, may send to any other rank, becomes idle, is woken by a frame. */
proctype worker(byte me) {
  bit what;
  byte to;
  do
  :: atomic { !idle[me] && left > 0 && !proved ->
       left--;
       if :: to = (me + 1) % RANKS :: to = (me + 2) % RANKS fi;
       sent[me]++;
       frames[to]!1 }
  :: atomic { !idle[me] -> idle[me] = true }
  :: atomic { frames[me]?what -> assert(!proved); received[me]++; wake_up(me) }
  :: proved && len(frames[me]) == 0 && idle[me] -> break
  od
}

/* A rank's transport: answers the wave once the rank is idle. */
proctype answers(byte me) {
  byte wave;
  do
  :: probes[me]?wave ->
     atomic { idle[me] -> replies!me, sent[me], received[me] }
  :: proved -> break
  od
}

proctype root() {
  byte wave = 0, missing, from, s, r;
  byte sums_sent, sums_received, before_sent = 255, before_received = 255;
  do
  :: !proved ->
     wave = 1 - wave;
     probes[0]!wave; probes[1]!wave; probes[2]!wave;
     missing = RANKS; sums_sent = 0; sums_received = 0;
     do
     :: missing > 0 -> replies?from, s, r; sums_sent = sums_sent + s; sums_received = sums_received + r; missing--
     :: missing == 0 -> break
     od;
     if
#ifdef ONE_WAVE
     :: atomic { sums_sent == sums_received ->
#else
     :: atomic { sums_sent == sums_received && before_sent == sums_sent && before_received == sums_received ->
#endif
          assert(idle[0] && idle[1] && idle[2]);
          assert(on_its_way == 0);
          proved = true }
     :: else -> before_sent = sums_sent; before_received = sums_received
     fi
  :: proved -> break
  od
}

init {
  atomic { run worker(0); run worker(1); run worker(2); run answers(0); run answers(1); run answers(2); run root() }
}

ltl is_proved { <> proved }
