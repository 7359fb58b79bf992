import {
  type ActivityExpectation,
  requireActivity,
  requireError,
  requireQueryReply,
} from "../contract/replies.ts"
import type { Stamper } from "./stamper.ts"
import type { CreatedOrganization, Json, Reply, System } from "./system.ts"

/** Differences from a request of the organization's root user in it: the stamping key, the organization, headers. */
export type By = { key?: Stamper; organizationId?: string; headers?: Record<string, string> }

/** Parameters as the API reads them: without members that are undefined. */
const asJson = (parameters: object): Json => JSON.parse(JSON.stringify(parameters)) as Json

/**
 * Operations of one organization over HTTP. Activities are named by their types, without prefix, and queries by their paths.
 * Replies are compared with the tables that were written by hand, and each operation that passed is noted.
 */
export class DocumentedApi {
  readonly system: System
  readonly organizationId: string
  readonly root: CreatedOrganization["root"]
  readonly rootUserId: string
  readonly #answered = new Set<string>()

  constructor(system: System, { organizationId, root, rootUserId }: CreatedOrganization) {
    this.system = system
    this.organizationId = organizationId
    this.root = root
    this.rootUserId = rootUserId
  }

  /** An organization of its own. */
  static async of(system: System): Promise<DocumentedApi> {
    return new DocumentedApi(system, await system.createOrganization())
  }

  /** Sends an activity, and checks nothing. */
  readonly send = (type: string, parameters: object, by: By = {}): Promise<Reply> => {
    const { key = this.root, organizationId = this.organizationId, headers } = by
    return this.system.post(
      `submit/${pathOf(type)}`,
      this.system.body(type, organizationId, parameters),
      key,
      headers,
    )
  }

  /** Sends an activity, and returns the activity of the reply. A vote is answered with the one that it is for. */
  readonly activity = async (
    type: string,
    parameters: object,
    expected: Partial<ActivityExpectation>,
    by: By = {},
  ): Promise<Json> => {
    const { status, json, text } = await this.send(type, parameters, by)
    if (status !== 200) throw new Error(`${type} answered ${status}: ${text}`)
    const own = { type: `ACTIVITY_TYPE_${type}`, parameters: asJson(parameters) }
    const shown = requireActivity(json, { ...own, ...expected })
    this.#answered.add(type)
    return shown
  }

  /** Sends an activity that completes, and returns the member of its result. */
  readonly submit = async (type: string, parameters: object, by: By = {}): Promise<Json> => {
    const { result } = await this.activity(type, parameters, { status: "ACTIVITY_STATUS_COMPLETED" }, by)
    return Object.values(result as Json)[0] as Json
  }

  /** Sends a query, and checks nothing. */
  readonly ask = (path: string, parameters: object = {}, by: By = {}): Promise<Reply> => {
    const { key = this.root, organizationId = this.organizationId, headers } = by
    return this.system.post(`query/${path}`, JSON.stringify({ organizationId, ...parameters }), key, headers)
  }

  /** Sends a query that is answered, and returns the reply. */
  readonly query = async (path: string, parameters: object = {}, by: By = {}): Promise<Json> => {
    const { status, json, text } = await this.ask(path, parameters, by)
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
    const reply = requireQueryReply(path, json)
    this.#answered.add(path)
    return reply
  }

  /** Sends an activity, or a query, that is refused with this status and gRPC code. Returns the error. */
  readonly refused = async (
    operation: string,
    parameters: object,
    [status, code]: readonly [status: number, code: number],
    by: By = {},
  ): Promise<Json> => {
    const isQuery = operation === operation.toLowerCase()
    const reply = await (isQuery ? this.ask : this.send)(operation, parameters, by)
    if (reply.status !== status) throw new Error(`${operation} answered ${reply.status}: ${reply.text}`)
    return requireError(reply.json, code)
  }

  /** Those of the operations that no checked reply has answered. */
  unanswered(operations: readonly string[]): string[] {
    return operations.filter((operation) => !this.#answered.has(operation))
  }
}

/** Versions of a type share the path that is named after them. */
function pathOf(type: string): string {
  return type.toLowerCase().replace(/_v\d+$/, "")
}
