import type { FetchOrder, FetchStatement } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { type FetchTask, makeOrder } from "../../../core/fetch-orders/order.ts"
import { readRefused } from "../../../core/fetch-orders/statement.ts"
import type { Organization } from "../../../core/organization/organization.ts"
import type { Refusal } from "../../../core/refusal.ts"
import type { ExecutionDeps } from "../state/deps.ts"
import type { AnyFactKind, TaskCase } from "../state/fact-kind.ts"
import { requireFetcherKey } from "../state/fetcher-key.ts"
import { type ContextNeeded, contextNeeded } from "../state/context-needed.ts"
import { invalid, type SuppliedSource, suppliedStatements } from "./supplied-statements.ts"

type TaskInit<Case> = Extract<FetchTask, { case: Case }>["value"]

/** The request that facts are fetched for, with the statements that came with it. */
export type FactsSource = SuppliedSource & {
  /** The activity, whose fingerprint is not the request's where a vote runs it; absent: a stamp needs the facts. */
  activity?: { organization: Organization; fingerprint: string }
}

export type FactDeps = Pick<
  ExecutionDeps,
  "keyring" | "fetcherKey" | "oidcIssuer" | "factKinds" | "issuerKeys" | "codeSequence" | "random" | "ids"
>

/** Facts that the fetcher stated for one request. Facts that did not come with the order are asked for. */
export class FetchedFacts {
  readonly source: FactsSource
  readonly deps: FactDeps
  /** Facts by kind and subject. */
  readonly #found = new Map<string, unknown>()
  /** Refusals that the fetcher has stated, by kind and subject. */
  readonly #refused = new Map<string, Refusal>()
  #isRead = false

  constructor(source: FactsSource, deps: FactDeps) {
    this.source = source
    this.deps = deps
  }

  /** Reads the statements that came with the order, once. @throws FETCHER_NOT_PAIRED, STATEMENT_INVALID */
  read(): void {
    const fetcherKey = requireFetcherKey(this.deps)
    if (this.#isRead) return
    this.#isRead = true
    for (const { order, statement } of suppliedStatements(this.source, { ...this.deps, fetcherKey }))
      this.#learn(order, statement)
  }

  find<Value>({ task }: AnyFactKind<TaskCase, Value>, subject: string): Value | undefined {
    this.read()
    return this.#found.get(nameOf(task, subject)) as Value | undefined
  }

  /** A fact, which the fetcher is asked for if it is missing. @throws the refusal that the fetcher stated, ContextNeeded */
  require<Task extends TaskCase, Value>(
    kind: AnyFactKind<Task, Value>,
    subject: string,
    task: () => TaskInit<Task>,
  ): Value {
    return this.find(kind, subject) ?? this.ask(kind, new Map([[subject, task]]))
  }

  /** Asks the fetcher for facts. @throws the refusal that the fetcher stated for one of them, ContextNeeded */
  ask<Task extends TaskCase>(
    { task, isStored }: AnyFactKind<Task>,
    tasks: ReadonlyMap<string, () => TaskInit<Task>>,
  ): never {
    for (const subject of tasks.keys()) {
      const refusal = this.#refused.get(nameOf(task, subject))
      if (refusal !== undefined) throw refusal
    }
    const values = Array.from(tasks.values(), (value) => ({ case: task, value: value() }) as FetchTask)
    throw this.#needed(values, isStored)
  }

  /** The activity, as tasks with an effect name it. */
  activity() {
    const { activity } = this.source
    if (activity === undefined) throw new Error("only an activity starts or checks a code, or mails a key")
    const { organization, fingerprint } = activity
    const parentId = organization.document.parentId || organization.id
    return { organization, parentId, activityFingerprint: Buffer.from(fingerprint, "hex") }
  }

  #needed(tasks: readonly FetchTask[], isStored: boolean): ContextNeeded {
    const { request, nowMs } = this.source
    const { keyring, random, codeSequence } = this.deps
    const { organizationId, fingerprint } = request
    const requestRef = { organizationId, requestFingerprint: Buffer.from(fingerprint, "hex") }
    const sign = (tag: string, bytes: Uint8Array) => keyring.notary.sign(tag, bytes)
    const maker = { sign, random, stateSequence: isStored ? codeSequence.known : 0n }
    const fetchOrders = tasks.map((task) => makeOrder(task, requestRef, nowMs, maker))
    return contextNeeded({ organizationId, fetchOrders })
  }

  #learn({ task }: FetchOrder, statement: FetchStatement): void {
    const { finding } = statement
    const kind = this.deps.factKinds.get(task.case)
    if (finding.case === "refused") {
      const refusal = readRefused(task.case, finding.value)
      if (refusal === undefined)
        throw invalid("it refuses the task with a code or sentence that it cannot have")
      if (kind === undefined) throw invalid("a request has no task of this kind")
      this.#refused.set(nameOf(kind.task, kind.subject(task.value as never)), refusal)
      return
    }
    if (kind === undefined || kind.finding !== finding.case) throw invalid("it answers another kind of task")
    const learned = { ...this.deps, statement, nowMs: this.source.nowMs }
    const value = kind.read(task.value as never, finding.value as never, learned)
    if (value !== undefined) this.#found.set(nameOf(kind.task, kind.subject(task.value as never)), value)
  }
}

function nameOf(task: string, subject: string): string {
  return `${task} ${subject}`
}
