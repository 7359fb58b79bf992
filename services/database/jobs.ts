// Jobs of signed transactions in PostgreSQL: pg-boss over the driver of this software.
import { type Db, type JobResult, PgBoss } from "pg-boss"
import type { Logger } from "../common/logger.ts"
import {
  closeDatabase,
  connectDatabase,
  type Database,
  type DatabaseConfig,
  type Transaction,
} from "./database.ts"
import { Supervision } from "./supervision.ts"
import { WorkSignals } from "./work-signals.ts"

/** One job: a transaction to follow until its end. */
export type Job = { id: string; organizationId: string }

/** The result of one poll of a job: done, or to be polled again after a pause. */
export type JobStep = "done" | "again"

type JobsOptions = {
  log: Logger
  /** True in the process that works: it also returns the jobs of processes that crashed, and deletes old ones. */
  supervise: boolean
}

/** Longest time of one poll; afterwards another process takes the job. */
const EXPIRES_SECONDS = 60

/** A process without a heartbeat for this long has crashed: another one takes its jobs. */
const HEARTBEAT_SECONDS = 10

/** Longest pause between two polls: the first is half a second, and each is twice as long as the one before. */
const LONGEST_PAUSE_SECONDS = 15

/** On Solana. Leaders drop transactions, and block hashes are valid for about 90 s, so transactions are submitted repeatedly. */
const LONGEST_SOLANA_PAUSE_SECONDS = 3

/** Settings of every queue. A job ends with its transaction, however often it is polled. */
const QUEUE = {
  expireInSeconds: EXPIRES_SECONDS,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: LONGEST_PAUSE_SECONDS,
  deleteAfterSeconds: 24 * 3600,
} as const

/** Pg-boss skips the search for jobs of crashed processes if any process has searched in the last so many seconds. */
const MONITOR_SECONDS = 4

/** Jobs polled side by side, for each chain. */
const BATCH = 64

/** Pauses between looks at a queue: for BUSY_MS after a signal or a job, and otherwise. A job that waits is due again before. */
const BUSY_POLL_MS = 500
const BUSY_MS = (LONGEST_PAUSE_SECONDS + 5) * 1000
const IDLE_POLL_SECONDS = 4

/** Jobs that one statement adds. */
const RESTORED_AT_ONCE = 1_000

const ATTEMPTS = 3

/** The name of a chain's queue: a chain that does not answer delays no other. */
function queueOf(caip2: string): string {
  return `send.${caip2.replace(":", ".")}`
}

/** The queues of one process. They start with their first use. */
export class Jobs {
  readonly #sql: Database
  readonly #boss: PgBoss
  readonly #queues = new Map<string, Promise<void>>()
  /** Queues that this process works on. */
  readonly #looks: BusyLooks[] = []
  #started: Promise<unknown> | undefined
  #supervision: Supervision | undefined

  constructor(config: DatabaseConfig, { log, supervise }: JobsOptions) {
    // One connection: pg-boss sends transactions as one text, whose parts must meet the same session.
    this.#sql = connectDatabase(config, { max: 1, applicationName: "countersign-jobs" })
    this.#boss = new PgBoss({
      db: adapterOf(this.#sql),
      supervise: false,
      schedule: false,
      monitorIntervalSeconds: MONITOR_SECONDS,
    })
    const warn = (error: unknown) => log.warn({ err: error }, "the queue of transactions reports a fault")
    this.#boss.on("error", warn)
    if (supervise) this.#supervision = new Supervision(() => this.#boss.supervise().catch(warn))
    this.#boss.on("warning", (warning) => log.debug({ warning }, "the queue of transactions warns"))
  }

  /** The connection of the queue, for the watch of pools: nothing else may use it. */
  get pool(): Database {
    return this.#sql
  }

  /** Creates the queue of a chain unless it exists. */
  async prepare(caip2: string): Promise<void> {
    let prepared = this.#queues.get(caip2)
    if (prepared === undefined) {
      prepared = this.#create(queueOf(caip2))
      this.#queues.set(caip2, prepared)
      prepared.catch(() => this.#queues.delete(caip2))
    }
    return prepared
  }

  /** Adds jobs within a transaction: they exist exactly if it is committed. A job that exists already stays. */
  async enqueue(tx: Transaction, caip2: string, jobs: readonly Job[]): Promise<void> {
    await this.prepare(caip2)
    await this.#boss.insert(queueOf(caip2), inserted(caip2, jobs), { db: adapterOf(tx) })
  }

  /** Adds jobs that are missing, outside any transaction, in pieces: each statement has a bound on its time. */
  async restore(caip2: string, jobs: readonly Job[]): Promise<void> {
    await this.prepare(caip2)
    for (let start = 0; start < jobs.length; start += RESTORED_AT_ONCE)
      await this.#boss.insert(queueOf(caip2), inserted(caip2, jobs.slice(start, start + RESTORED_AT_ONCE)))
  }

  /** Removes jobs that have ended, so that they can be added again. */
  async forget(caip2: string, jobs: readonly Job[]): Promise<void> {
    await this.prepare(caip2)
    await this.#boss.deleteJob(
      queueOf(caip2),
      jobs.map(({ id }) => id),
    )
  }

  /**
   * Polls the jobs of a chain until `close`. A poll that throws is repeated later. A signal says that jobs may
   * have been added. Each poll is announced: others may wait for what it changes.
   */
  async work(
    caip2: string,
    poll: (job: Job) => Promise<JobStep>,
    signals: WorkSignals = new WorkSignals(),
  ): Promise<void> {
    await this.prepare(caip2)
    const looks = new BusyLooks(() => this.#boss.notifyWorker(worker))
    this.#looks.push(looks)
    signals.onWork(() => {
      looks.signal()
      this.#supervision?.signal()
    })
    this.#supervision?.start()
    const options = {
      batchSize: BATCH,
      pollingIntervalSeconds: IDLE_POLL_SECONDS,
      burstWhenBatchFull: true,
      perJobResults: true,
    } as const
    const worker = await this.#boss.work<{ organizationId: string }, JobResult[], typeof options>(
      queueOf(caip2),
      options,
      async (batch) => {
        const results = await Promise.all(
          batch.map(async ({ id, data }) => {
            const step = await poll({ id, organizationId: data.organizationId }).catch(() => "again" as const)
            return { id, status: step === "done" ? ("completed" as const) : ("failed" as const) }
          }),
        )
        signals.announce()
        return results
      },
    )
    looks.start()
  }

  async close(): Promise<void> {
    for (const looks of this.#looks) looks.close()
    await this.#started?.catch(() => undefined)
    await this.#supervision?.close()
    await this.#boss.stop({ graceful: true, timeout: 5_000 })
    await closeDatabase(this.#sql)
  }

  /** Processes that make the queue's tables at one time may disturb each other: the second attempt finds them made. */
  async #create(queue: string): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#started ??= this.#boss.start()
        await this.#started
        await this.#boss.createQueue(queue, QUEUE)
        // A queue that an earlier release has made.
        return await this.#boss.updateQueue(queue, QUEUE)
      } catch (error) {
        this.#started = undefined
        if (attempt === ATTEMPTS) throw error
      }
    }
  }
}

/** Looks at one queue while it is busy; the queue's own looks are seldom. */
class BusyLooks {
  readonly #look: () => void
  #untilMs = 0
  #timer: NodeJS.Timeout | undefined
  #isStarted = false

  constructor(look: () => void) {
    this.#look = look
  }

  /** From here on it looks, also for what was signalled before. */
  start(): void {
    this.#isStarted = true
    this.signal()
  }

  signal(): void {
    this.#untilMs = performance.now() + BUSY_MS
    if (this.#isStarted) this.#timer ??= setInterval(() => this.#lookOrRest(), BUSY_POLL_MS).unref()
  }

  close(): void {
    this.#isStarted = false
    clearInterval(this.#timer)
  }

  #lookOrRest(): void {
    if (performance.now() < this.#untilMs) return this.#look()
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

/** A job has the id of its transaction, so that a second one cannot exist. */
function inserted(caip2: string, jobs: readonly Job[]) {
  const retryDelayMax = caip2.startsWith("solana:") ? LONGEST_SOLANA_PAUSE_SECONDS : LONGEST_PAUSE_SECONDS
  return jobs.map(({ id, organizationId }) => ({ id, data: { organizationId }, retryDelayMax }))
}

/** The driver of pg-boss. A text without values may contain several statements. */
function adapterOf(sql: Database | Transaction): Db {
  return {
    async executeSql(text, values = []) {
      if (values.length > 0) return { rows: [...(await sql.unsafe(text, values.map(asParameter)))] }
      return { rows: (await runScript(sql, text)).flat() }
    },
  }
}

/** Objects are JSON to PostgreSQL; the driver takes them as text. */
function asParameter(value: unknown): never {
  const isObject =
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  return (isObject ? JSON.stringify(value) : (value ?? null)) as never
}

/** A script that opens a transaction and fails leaves it open: the session would refuse all that follows. */
async function runScript(sql: Database | Transaction, text: string): Promise<unknown[]> {
  try {
    return await sql.unsafe(text).simple()
  } catch (error) {
    if (/^\s*BEGIN\b/i.test(text)) await sql.unsafe("rollback").simple()
    throw error
  }
}
