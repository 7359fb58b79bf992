// Plans of the statements that store functions send: no scan of a table, and few blocks.
import { closeDatabase, connectDatabase } from "../../../../services/database/database.ts"

/** The parts of tap's test that are used here. */
type Teardown = { teardown(clean: () => Promise<void>): unknown }
type Tap = { same(found: unknown, wanted: unknown, name: string): unknown; ok(value: unknown): unknown }
type Value = string | number | bigint | boolean | null | undefined | Uint8Array | Value[]
type Statement = { text: string; parameters: Value[] }
/** Limits on the blocks that a statement reads: by the plan for its own values, by the plan for any values. */
type MaxBuffers = { own?: number; generic?: number }
/** `short`: tables that are always short, so that a scan of them is no fault. */
type Limits = MaxBuffers & { short?: readonly string[] }
type Plan = { "Node Type": string; "Relation Name"?: string; Plans?: Plan[] } & Record<string, unknown>

const READS = /\b(?:from|update|delete)\b/

/**
 * A pool whose statements are recorded. `requireRanges` checks those sent since its last call: with the values that were
 * sent, and as the generic plan of a statement that is prepared and sent often. With a limit on buffers a statement is
 * run, and its blocks counted; without, it is only planned.
 */
export function watchPlans(t: Teardown, url: string) {
  const statements: Statement[] = []
  const watched = connectDatabase({ url }, { max: 1 })
  const planner = connectDatabase({ url }, { max: 1 })
  // The driver calls a function of this name with each statement.
  Object.assign(watched.options, {
    debug: (_connection: number, text: string, parameters: Value[]) => statements.push({ text, parameters }),
  })
  t.teardown(async () => {
    await closeDatabase(watched)
    await closeDatabase(planner)
  })

  async function requireRanges(t: Tap, { own, generic, short = [] }: Limits = {}): Promise<void> {
    // The driver asks for the types that it does not know by itself.
    const seen = statements.splice(0).filter(({ text }) => READS.test(text) && !text.includes("pg_catalog"))
    t.ok(seen.length > 0)
    const allowed = new Set(short.map(scanOf))
    const requireNone = (faults: string[], name: string) =>
      t.same(
        faults.filter((fault) => !allowed.has(fault)),
        [],
        name,
      )
    for (const statement of seen) {
      requireNone(await faultsOf(statement, own, "force_custom_plan"), "for these values")
      requireNone(await faultsOf(statement, generic, "force_generic_plan"), "for any values")
    }
  }

  async function faultsOf(
    { text, parameters }: Statement,
    maxBuffers?: number,
    mode = "force_custom_plan",
  ): Promise<string[]> {
    const explain = `explain (${maxBuffers === undefined ? "" : "analyze, buffers, "}format json)`
    await planner.unsafe(`set plan_cache_mode = ${mode}; prepare watched as ${text}`)
    try {
      const values = parameters.length === 0 ? "" : `(${parameters.map(literal).join()})`
      const [row] = await planner.unsafe<{ "QUERY PLAN": [{ Plan: Plan }] }[]>(
        `${explain} execute watched${values}`,
      )
      const plan = row!["QUERY PLAN"][0].Plan
      const buffers = Number(plan["Shared Hit Blocks"] ?? 0) + Number(plan["Shared Read Blocks"] ?? 0)
      const isMany = maxBuffers !== undefined && buffers > maxBuffers
      return [...scansIn(plan), ...(isMany ? [`${buffers} buffers: ${text}`] : [])]
    } finally {
      await planner.unsafe("deallocate watched")
    }
  }

  return { watched, requireRanges, faultsOf }
}

const scanOf = (table: string | undefined) => `a scan of ${table}`

function scansIn(plan: Plan): string[] {
  const own = plan["Node Type"] === "Seq Scan" ? [scanOf(plan["Relation Name"])] : []
  return [...own, ...(plan.Plans ?? []).flatMap(scansIn)]
}

function literal(value: Value): string {
  if (value === null || value === undefined) return "null"
  if (Array.isArray(value)) return `array[${value.map(literal).join()}]`
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`
  return `'${String(value).replaceAll("'", "''")}'`
}
