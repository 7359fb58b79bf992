import type { FetchOrder, FetchStatement } from "../../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import type { IssuerKeyStore } from "./issuer-keys.ts"

export type TaskCase = NonNullable<FetchOrder["task"]["case"]>
type FindingCase = NonNullable<FetchStatement["finding"]["case"]>
type TaskOf<Case> = Extract<FetchOrder["task"], { case: Case }>["value"]
type FindingOf<Case> = Extract<FetchStatement["finding"], { case: Case }>["value"]

/** A statement that is read, with the state that it may renew. */
export type Learned = { issuerKeys: IssuerKeyStore; statement: FetchStatement; nowMs: number }

/** A kind of fact: a task of the fetcher, and the finding that answers it. */
export type FactKind<Task extends TaskCase, Finding extends FindingCase, Value> = {
  readonly task: Task
  readonly finding: Finding
  /** Distinguishes facts of one kind within a request. */
  readonly subject: (task: TaskOf<Task>) => string
  /** The fact; undefined: a newer one is known. @throws STATEMENT_INVALID for a finding about another task */
  readonly read: (task: TaskOf<Task>, finding: FindingOf<Finding>, learned: Learned) => Value | undefined
  /** True if the fetcher's store keeps an effect of the task. */
  readonly isStored: boolean
}

/** A kind of fact, for code that does not know the kind's task type. */
export type AnyFactKind<Task = TaskCase, Value = unknown> = {
  readonly task: Task
  readonly finding: FindingCase
  readonly subject: (task: never) => string
  readonly read: (task: never, finding: never, learned: Learned) => Value | undefined
  readonly isStored: boolean
}

/** The kinds of facts that requests need, by task. */
export type FactKinds = ReadonlyMap<string | undefined, AnyFactKind>
