import type { AuditFault, AuditFaultCode } from "./fault.ts"
import { type AuditRecord, NO_RECORD, readRecord, recordDigest } from "./record.ts"

/** Report about a chain of records, with its faults. */
export type ChainReport = {
  records: number
  /** Numbers of the first and the last record; 0: there is none. */
  first: number
  last: number
  /** Records that the signer could not write, with the number of the record that says so. */
  gaps: { number: number; omitted: number }[]
  /** Acts without an outcome: the signer ended, or still does them. */
  open: number[]
  faults: AuditFault[]
}

/** A head of the log that a record states. */
export type RecordedHead = { number: number; origin: string; size: number }

/** Verifies records one after the other. Digests of all are kept, 32 bytes and a number each. */
export class AuditChain {
  readonly report: ChainReport = { records: 0, first: 0, last: 0, gaps: [], open: [], faults: [] }
  readonly heads: RecordedHead[] = []
  readonly #from: number
  readonly #numbers = new Map<string, number>()
  readonly #open = new Set<number>()
  #digest: string | undefined
  #lines = 0

  /** @param from number of the record to begin with */
  constructor(from = 1) {
    this.#from = from
  }

  add(line: string): void {
    this.#lines += 1
    const record = readRecord(line)
    if (record === undefined) return this.#fault("AUDIT_MALFORMED", `line ${this.#lines} is no record`)
    if (record.number < this.#from) return
    this.#follow(record)
    const digest = recordDigest(line)
    this.#numbers.set(digest, record.number)
    this.#digest = digest
    this.report.records += 1
    this.report.last = record.number
    this.#read(record)
  }

  /** The report, after the last line. */
  end(): ChainReport {
    this.report.open = [...this.#open]
    return this.report
  }

  /** Number of the record with this digest; undefined: there is none. One that a gap left out is none: only a bound gap is believed. */
  numberOf(digest: string): number | undefined {
    return this.#numbers.get(digest)
  }

  #follow({ number, previous, kind, members }: AuditRecord): void {
    const { last } = this.report
    if (this.#digest === undefined) {
      this.report.first = number
      const isWhole = number === this.#from && (number > 1 || previous === NO_RECORD)
      if (!isWhole) this.#fault("AUDIT_MISSING", `the records before number ${number} are missing`)
      return
    }
    const omitted = number - last - 1
    if (kind === "gap" && members["omitted"] === omitted && members["after"] === this.#digest) {
      this.report.gaps.push({ number, omitted })
      return
    }
    if (omitted !== 0)
      return this.#fault(
        "AUDIT_MISSING",
        `the record after number ${last} is number ${number}: ${omitted > 0 ? `${omitted} are missing` : "they are not in order"}`,
      )
    if (previous !== this.#digest)
      this.#fault("AUDIT_EDITED", `record ${last} is not the one that record ${number} names: it was changed`)
  }

  #read({ number, kind, members }: AuditRecord): void {
    const { act, origin, size, missing } = members
    if (kind === "act") this.#open.add(number)
    if (kind === "outcome" && typeof act === "number") this.#open.delete(act)
    if (kind === "head" && typeof origin === "string" && typeof size === "number")
      this.heads.push({ number, origin, size })
    if (kind === "broken")
      this.#fault(
        "AUDIT_BROKEN",
        `record ${number}: at that time the signer did not find the record ${String(missing)}, which its log had bound. ` +
          `Records before ${number} were cut off, edited or lost; to verify from there: --from ${number}`,
      )
  }

  #fault(code: AuditFaultCode, sentence: string): void {
    this.report.faults.push({ code, sentence })
  }
}
