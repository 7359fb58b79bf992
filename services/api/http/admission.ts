import type { IpAddress } from "../../../signer/core/organization/ip-block.ts"
import { RecentlyUsed } from "../../../signer/core/recently-used.ts"
import type { Deadline } from "../../../signer/core/turns/deadline.ts"
import { inSlices, type Steps } from "../../../signer/core/turns/steps.ts"
import { TurnQueue } from "../../../signer/core/turns/turn-queue.ts"
import { ApiError, GrpcCode } from "../../common/api-error.ts"
import { inTime } from "../../common/in-time.ts"
import { ConcurrencyLimit, type Work } from "./concurrency-limit.ts"

/** Requests that are handled before other sockets get their turn: about a millisecond of work. */
const REQUESTS_PER_TURN = 8

/** Requests with their body read and not yet answered, of this process: less than two seconds of signatures. */
const MAX_REQUESTS = 2048

/**
 * Maximum of one organization, and of all callers that are not known yet. Each may also use at most as many places as
 * are free, so some stay free under any flood (dynamic thresholds, Choudhury and Hahne 1998).
 */
const MAX_OF_ORGANIZATION = 512

/**
 * Weight of one organization's requests that are worked on at a time while another organization is active. It keeps
 * batches of signatures full, and another organization's signature waits for few.
 */
const WEIGHT_BESIDE_OTHERS = 20

/** A request that takes longer waits for a slow query or for another host. */
const HELD_MS = 500
/** Least time for a large body. One that takes longer than its length allows waits for its caller's network. */
const READING_MS = 20
/** 4 MiB a second: a process that reads or writes more for one organization collects garbage for a part of everybody's time. */
const LARGE_BYTES_PER_MS = (4 * 1024 * 1024) / 1000
/** A query that takes longer reads much, or waits for others that do. */
const COSTLY_MS = 4
/** Longest rest of an organization after one of its requests. */
const MAX_REST_MS = 500
/** A large order may create a thousand accounts, which takes seconds beside others. */
const LARGE_HELD_MS = 5_000

/** The work of a request. Queries have a bound of their own, because slow ones must not delay signatures. */
export const WORK = {
  body: { kind: "body", weight: WEIGHT_BESIDE_OTHERS, heldMs: READING_MS },
  order: { kind: "order", weight: WEIGHT_BESIDE_OTHERS / 5, heldMs: HELD_MS },
  /** A creation costs several signatures in the signer and in the database. */
  creation: { kind: "order", weight: WEIGHT_BESIDE_OTHERS / 2, heldMs: HELD_MS },
  largeOrder: { kind: "order", weight: WEIGHT_BESIDE_OTHERS, heldMs: LARGE_HELD_MS },
  query: { kind: "query", weight: WEIGHT_BESIDE_OTHERS / 2, heldMs: HELD_MS },
} as const satisfies Record<string, Work>

/** Callers and sub-organizations that are remembered, about 300 bytes each. */
const MAX_CALLERS = 50_000

/** Requests whose caller is not known yet share one turn. */
const NEWCOMERS = ""

export type AdmissionBounds = { requests: number; ofOrganization: number }

/**
 * Bounds the requests of this process, of each organization, and of each parent with its sub-organizations, and serves
 * organizations in turn. The organization is known before the stamp is verified if the same address has used the same
 * credential before. So places of an organization are taken only from an address of its callers, by somebody who knows
 * the credential's public key.
 */
export class Admission {
  readonly #bounds: AdmissionBounds
  readonly #concurrency = new ConcurrencyLimit(WEIGHT_BESIDE_OTHERS)
  readonly #turns = new TurnQueue({ perTurn: REQUESTS_PER_TURN })
  readonly #organizations = new RecentlyUsed<string, string>(MAX_CALLERS)
  /** Parents by sub-organization. */
  readonly #parents = new RecentlyUsed<string, string>(MAX_CALLERS)
  /** Numbers of requests of top-level organizations with their sub-organizations, by top-level organization. */
  readonly #runningOfTopLevel = new Map<string, number>()
  /** Requests by organization. */
  readonly #running = new Map<string, number>()
  /** Times at which the requests under way came, monotonic milliseconds, the oldest first. */
  readonly #began = new Set<Running>()

  constructor(bounds: AdmissionBounds = { requests: MAX_REQUESTS, ofOrganization: MAX_OF_ORGANIZATION }) {
    this.#bounds = bounds
  }

  /**
   * Handles a request in a turn of its organization. Its place is free again once it is answered, also if that is the 503
   * after its deadline: what it waits for may take longer.
   *
   * @param work one of WORK
   * @throws ApiError 429 ORGANIZATION_OVERLOADED, 503 SERVICE_OVERLOADED, and the errors of `inTime`; Refusal DEADLINE_EXCEEDED
   */
  async run<T>(
    caller: string,
    deadline: Deadline,
    handle: () => Promise<T>,
    work: Work = WORK.order,
  ): Promise<T> {
    const organizationId = this.#organizations.get(caller) ?? NEWCOMERS
    const request = this.#enter(organizationId)
    try {
      const answer = this.#bounded(organizationId, work, () =>
        this.#turns.run(organizationId, () => {
          deadline.require()
          return handle()
        }),
      )
      return await inTime(answer, deadline)
    } finally {
      this.#leave(organizationId, request)
    }
  }

  /** Callers who are not known yet have no bound of this kind: they would wait for each other. */
  #bounded<T>(organizationId: string, work: Work, handle: () => Promise<T>): Promise<T> {
    return organizationId === NEWCOMERS
      ? handle()
      : this.#concurrency.run(organizationId, work, handle, restOf(work))
  }

  /**
   * Reads a large body: of one organization beside others one at a time, and so many bytes a second. A body that is sent slowly
   * leaves its place once another may be read at that rate. Callers who are not known yet have no bound of this kind: they
   * would wait for each other's connections.
   * @param maxBytes the body's length, or the most that it may have
   * @throws Refusal DEADLINE_EXCEEDED before the body is read
   */
  reading(
    caller: string,
    deadline: Deadline,
    read: () => Promise<Buffer>,
    maxBytes: number,
  ): Promise<Buffer> {
    const organizationId = this.#organizations.get(caller) ?? NEWCOMERS
    if (organizationId === NEWCOMERS) return read()
    const heldMs = Math.max(READING_MS, maxBytes / LARGE_BYTES_PER_MS)
    const work = { ...WORK.body, heldMs }
    const readInTime = async () => {
      // Else an organization that sends too much would spend its rate on bodies that are answered already.
      deadline.require()
      return read()
    }
    return this.#concurrency.run(
      organizationId,
      work,
      readInTime,
      ({ length }) => length / LARGE_BYTES_PER_MS,
    )
  }

  /** Computes in a further turn of the same organization, which pays for the computation. */
  compute<T>(caller: string, task: () => T): Promise<T> {
    return this.#turns.run(this.#organizations.get(caller) ?? NEWCOMERS, task)
  }

  /** Computes in turns of the same organization, a slice in each. */
  inTurns(caller: string, steps: Steps<void>): Promise<void> {
    return inSlices(steps, this.#organizations.get(caller) ?? NEWCOMERS, this.#turns)
  }

  /** Remembers the organization of a caller whose stamp was verified. @param parentId "": it has no parent */
  remember(caller: string, organizationId: string, parentId = ""): void {
    this.#organizations.set(caller, organizationId)
    if (parentId !== "") this.#parents.set(organizationId, parentId)
  }

  /** Requests under way. */
  get running(): number {
    return this.#began.size
  }

  /** Requests that wait for others of their organization, or for its turn. */
  get waiting(): number {
    return this.#turns.waiting + this.#concurrency.waiting
  }

  /** Age of the oldest request under way, seconds; 0 for none. */
  get oldestSeconds(): number {
    const [oldest] = this.#began
    return oldest === undefined ? 0 : (performance.now() - oldest.atMs) / 1000
  }

  /** Callers whose organization is remembered. */
  get knownCallers(): number {
    return this.#organizations.size
  }

  #enter(organizationId: string): Running {
    const running = this.#running.get(organizationId) ?? 0
    const topLevelId = this.#parents.get(organizationId) ?? organizationId
    const ofTopLevel = this.#runningOfTopLevel.get(topLevelId) ?? 0
    const free = this.#bounds.requests - this.#began.size
    if (running >= Math.min(this.#bounds.ofOrganization, free))
      throw running === 0 || organizationId === NEWCOMERS ? serviceOverloaded() : organizationOverloaded()
    // Beside its parent or siblings, an organization leaves as many places for them as it takes.
    if (ofTopLevel > running && running >= free - ofTopLevel) throw organizationOverloaded()
    this.#running.set(organizationId, running + 1)
    this.#runningOfTopLevel.set(topLevelId, ofTopLevel + 1)
    const request = { topLevelId, atMs: performance.now() }
    this.#began.add(request)
    return request
  }

  #leave(organizationId: string, request: Running): void {
    decrement(this.#running, organizationId)
    decrement(this.#runningOfTopLevel, request.topLevelId)
    this.#began.delete(request)
  }
}

/** `topLevelId`: the parent when the request came, or the organization itself. */
type Running = { readonly topLevelId: string; readonly atMs: number }

function decrement(counts: Map<string, number>, name: string): void {
  const left = (counts.get(name) ?? 0) - 1
  if (left > 0) counts.set(name, left)
  else counts.delete(name)
}

/**
 * After a costly query or a large order its organization rests as long as that took: the database and the signer work for others
 * in half of the time. Behind a large answer the rest is that of a large body.
 */
function restOf(work: Work): (answer: unknown, tookMs: number) => number {
  if (work !== WORK.query && work !== WORK.largeOrder) return () => 0
  return (answer, tookMs) => {
    const length = typeof answer === "string" ? answer.length : 0
    const restMs = Math.max(tookMs, length / LARGE_BYTES_PER_MS)
    return restMs > COSTLY_MS ? Math.min(restMs, MAX_REST_MS) : 0
  }
}

/** Text that names a client address, undefined where it is not known, with a credential. */
export function callerName(address: IpAddress | undefined, credential: string): string {
  return `${address?.bits} ${address?.value.toString(16)} ${credential}`
}

function organizationOverloaded(): ApiError {
  const sentence = "too many requests of this organization are under way; wait and send the same body again"
  return new ApiError(GrpcCode.resourceExhausted, sentence, { reason: "ORGANIZATION_OVERLOADED" })
}

function serviceOverloaded(): ApiError {
  return new ApiError(GrpcCode.unavailable, "the service is overloaded; wait and send the same body again", {
    publicCode: "INTERNAL",
    reason: "SERVICE_OVERLOADED",
  })
}
