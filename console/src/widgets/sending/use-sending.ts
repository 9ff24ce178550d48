/**
 * Sends webhooks by hand: if wanted the oldest alone first, and the others only if it was delivered. Then it follows what
 * becomes of them. All of it ends with the page: the notice then says what was not sent.
 */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { noteChanged } from '../../api/polling.ts';
import type { Problem } from '../../api/problem.ts';
import { announce } from '../../ui/page/announce.ts';
import { words } from '../../words/words.ts';
import { type Followed, fateOf, type Outcome, outcomeOf, type Sent } from './outcome.ts';

/** What becomes of them is followed for that long. */
const FOLLOWED_MS = 60_000;
/** What a list takes. Those that were sent first are read first. */
const READ_AT_ONCE = 100;
const MOST_FOLLOWED = 1_000;
/** Most receivers answer within the first of these. */
const PAUSES_MS = [100, 200, 300, 500];
const LONGEST_PAUSE_MS = 1_000;

/** What a call has sent. */
export interface Part {
  count: number;
  deliveries: readonly Sent[];
}

export interface Source {
  sendFirst(): Promise<Part>;
  /** Whether it ends early when the signal aborts. What is one call goes on at the server. */
  isInSteps?: boolean;
  /** All but the first, or all. Calls `onPart` after each part. */
  sendRest(
    first: Sent | undefined,
    onPart: (part: Part) => void,
    signal: AbortSignal,
  ): Promise<void>;
  read(ids: string[]): Promise<Followed[]>;
  /** Why the last attempt of one failed, in a sentence. */
  why(id: string): Promise<string | null>;
}

export interface Progress {
  /** `held`: the first one was not delivered, and the others are not sent. */
  phase: 'trying' | 'held' | 'sending' | 'following' | 'over';
  total: number;
  sent: number;
  /** The order of the one that is tried first. */
  order: string | undefined;
  outcome: Outcome;
  why: string | null;
  isFollowedInPart: boolean;
  /** Whether closing it keeps some from being sent. */
  canStop: boolean;
}

export interface Sending {
  progress: Progress | undefined;
  problem: Problem | null;
  start(total: number, triesFirst: boolean): void;
  /** Sends the others although the first one was not delivered. */
  goOn(): void;
  /** Ends the sending, and forgets its outcome. */
  close(): void;
}

export function useSending(source: Source): Sending {
  const [progress, setProgress] = useState<Progress>();
  const run = useRef<Run>(undefined);
  const follow = useMutation({
    mutationFn: async (step: 'start' | 'rest') => {
      const { current } = run;
      if (!current) return;
      await (step === 'start' ? current.start() : current.sendRest());
    },
  });
  const stop = () => run.current?.stop();
  useEffect(() => () => run.current?.stop(), []);
  return {
    progress,
    problem: follow.error,
    start(total, triesFirst) {
      run.current = new Run(source, total, triesFirst && total > 1, setProgress);
      follow.mutate('start');
    },
    goOn: () => follow.mutate('rest'),
    close() {
      stop();
      run.current = undefined;
      follow.reset();
      setProgress(undefined);
    },
  };
}

class Run {
  readonly #source: Source;
  readonly #triesFirst: boolean;
  readonly #show: (progress: Progress) => void;
  readonly #stopping = new AbortController();
  readonly #sent: Sent[] = [];
  readonly #known = new Map<string, Followed>();
  #now: Progress;

  constructor(
    source: Source,
    total: number,
    triesFirst: boolean,
    show: (progress: Progress) => void,
  ) {
    this.#source = source;
    this.#triesFirst = triesFirst;
    this.#show = show;
    this.#now = {
      phase: triesFirst ? 'trying' : 'sending',
      total,
      sent: 0,
      order: undefined,
      outcome: outcomeOf([], this.#known),
      why: null,
      isFollowedInPart: false,
      canStop: triesFirst,
    };
  }

  async start(): Promise<void> {
    this.#update({});
    if (!this.#triesFirst) return this.sendRest();
    this.#add(await this.#source.sendFirst());
    if (this.#isStopped) return this.#sayWhatWasSent();
    await this.#follow();
    if (this.#isStopped) return;
    const [first] = this.#sent;
    const fate = first && fateOf(first, this.#known.get(first.id));
    if (fate === 'delivered') return this.sendRest();
    if (!first) return this.#update({ phase: 'over' });
    const why = fate === 'failed' ? await this.#source.why(first.id) : null;
    this.#update({ phase: 'held', why });
  }

  async sendRest(): Promise<void> {
    this.#update({ phase: 'sending', why: null, canStop: this.#source.isInSteps ?? false });
    const [first] = this.#sent;
    await this.#source.sendRest(first, (part) => this.#add(part), this.#stopping.signal);
    if (this.#isStopped) return this.#sayWhatWasSent();
    this.#update({ phase: 'following', canStop: false });
    await this.#follow();
    const failed = this.#sent.find((one) => fateOf(one, this.#known.get(one.id)) === 'failed');
    const why = failed ? await this.#source.why(failed.id) : null;
    this.#update({ phase: 'over', why });
  }

  /** Nothing more is sent, and it is said what was not. A call that is under way is waited for before that. */
  stop(): void {
    if (this.#isStopped) return;
    this.#stopping.abort();
    const { phase, sent } = this.#now;
    if (phase === 'held' || (phase === 'trying' && sent > 0)) this.#sayWhatWasSent();
  }

  #sayWhatWasSent(): void {
    const { sent, total } = this.#now;
    announce(words.sending.left(sent, Math.max(0, total - sent)));
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  #add({ count, deliveries }: Part): void {
    noteChanged();
    const sent = this.#now.sent + count;
    const known = new Set(this.#sent.map(({ id }) => id));
    const others = deliveries.filter(({ id }) => !known.has(id));
    this.#sent.push(...others.slice(0, MOST_FOLLOWED - this.#sent.length));
    this.#update({ sent, isFollowedInPart: this.#sent.length < sent });
  }

  #update(changed: Partial<Progress>): void {
    this.#now = { ...this.#now, ...changed, outcome: outcomeOf(this.#sent, this.#known) };
    if (!this.#isStopped) this.#show(this.#now);
  }

  /** Until each has been attempted, or the time is over. */
  async #follow(): Promise<void> {
    const endMs = performance.now() + FOLLOWED_MS;
    for (let reads = 0; !this.#isStopped; reads++) {
      const open = this.#sent.filter((one) => fateOf(one, this.#known.get(one.id)) === 'open');
      if (open.length === 0 || performance.now() > endMs) return;
      await pause(PAUSES_MS[reads] ?? LONGEST_PAUSE_MS);
      const found = await this.#source.read(open.slice(0, READ_AT_ONCE).map(({ id }) => id));
      for (const one of found) this.#known.set(one.id, one);
      this.#update({ order: found.at(-1)?.partner_order_id ?? this.#now.order });
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
