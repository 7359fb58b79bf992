// Overflow shards that were altered, removed or restored, and a comparison with a map.
import fc from "fast-check"
import t from "tap"
import type { RowKind } from "../../../../signer/enclave/ledger/ledger.ts"
import { creation, codeOf, create, open, tamper, update } from "./harness.ts"
import { createFilled, GROUPED, keysOf, limits, row, shardOf } from "./overflow-harness.ts"

t.test("A3: an overflow shard is verified when it is first read, and not before", async (t) => {
  const last = "key 49"
  const where = `organization_id LIKE 'org#%' AND key = '${last}'`
  for (const [name, edit] of Object.entries({
    "with another value": `UPDATE entry SET value = x'00' WHERE ${where}`,
    removed: `DELETE FROM entry WHERE ${where}`,
    "moved to the organization's shard": `UPDATE entry SET organization_id = 'org' WHERE ${where}`,
    "moved to another's": `UPDATE entry SET organization_id = 'other' WHERE ${where}`,
  })) {
    const directory = t.testdir({})
    await createFilled(`${directory}/${name}`, 50)
    tamper(`${directory}/${name}`, (database) => database.exec(edit))
    const ledger = open(`${directory}/${name}`, { limits })
    const movedIn = name.includes("organization's")
    t.equal(
      codeOf(() => ledger.head("org")),
      movedIn ? "LEDGER_DAMAGED" : "none",
      name,
    )
    t.equal(
      codeOf(() => ledger.row("org", "address", last)),
      "LEDGER_DAMAGED",
      name,
    )
    t.equal(
      codeOf(() => ledger.rows("org", "address")),
      "LEDGER_DAMAGED",
      name,
    )
    const change = update("org", { put: [row("address", last, "new")] })
    await t.rejects(ledger.commit([change]), { code: "LEDGER_DAMAGED" }, name)
    await ledger.close()
  }
})

t.test("A3: an overflow shard that is missing or restored stops the start", async (t) => {
  const edits = (shard: string) => [
    `DELETE FROM organization WHERE id = '${shard}'; DELETE FROM entry WHERE organization_id = '${shard}'`,
    `DELETE FROM organization WHERE id = '${shard}'`,
    `UPDATE organization SET mac = zeroblob(32) WHERE id = '${shard}'`,
    `UPDATE organization SET id = '${shard}0' WHERE id = '${shard}'`,
  ]
  for (const index of edits("").keys()) {
    const directory = `${t.testdir({})}/l`
    await createFilled(directory, 50)
    const edit = edits(shardOf(directory, "key 49"))[index]!
    tamper(directory, (database) => database.exec(edit))
    t.equal(
      codeOf(() => open(directory, { limits })),
      "LEDGER_DAMAGED",
      edit,
    )
  }
})

t.test("the ledger agrees with a map after any puts, removals and restarts", async (t) => {
  const key = fc.integer({ min: 0, max: 25 }).map(keyOf)
  const kinds = ["address", "archive-record", "fingerprint", GROUPED] as const
  const kind = fc.constantFrom<RowKind>(...kinds)
  const steps = fc.array(
    fc.record({
      put: fc.array(fc.tuple(kind, key, fc.string({ maxLength: 3 })), { maxLength: 6 }),
      remove: fc.array(fc.tuple(kind, key), { maxLength: 4 }),
      reopen: fc.boolean(),
    }),
    { maxLength: 8 },
  )
  let run = 0
  const directory = t.testdir()
  const holds = fc.asyncProperty(steps, async (all) => {
    const place = `${directory}/${run++}`
    let ledger = create(place, { limits })
    await ledger.commit([creation("org")])
    const model = new Map<string, string>()
    for (const { put, remove, reopen } of all) {
      const change = {
        remove: remove.map(([kind, key]) => ({ kind, key })),
        put: put.map(([kind, key, value]) => row(kind, key, value)),
      }
      await ledger.commit([update("org", change)])
      for (const [kind, key] of remove) model.delete(`${kind} ${key}`)
      for (const [kind, key, value] of put) model.set(`${kind} ${key}`, value)
      if (reopen) {
        await ledger.close()
        ledger = open(place, { limits })
      }
      for (const group of ["0", "1", "2"]) {
        const expected = [...model.keys()].filter((name) => name.startsWith(`${GROUPED} ${group}/`))
        const found = keysOf(ledger, group).map((key) => `${GROUPED} ${key}`)
        if (JSON.stringify(found.toSorted()) !== JSON.stringify(expected.toSorted())) throw new Error(group)
      }
      for (const kind of kinds) {
        const found = ledger.rows("org", kind).map((each) => [`${kind} ${each.key}`, textOf(each.value)])
        const expected = [...model]
          .filter(([name]) => name.startsWith(`${kind} `))
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
        if (JSON.stringify(found) !== JSON.stringify(expected)) throw new Error(JSON.stringify(found))
        for (let number = 0; number <= 25; number++) {
          const value = ledger.row("org", kind, keyOf(number))
          if ((value && textOf(value)) !== model.get(`${kind} ${keyOf(number)}`))
            throw new Error(keyOf(number))
        }
      }
    }
    await ledger.close()
  })
  await fc.assert(holds, { numRuns: 40, seed: 20_261_121 })
  t.equal(run, 40)
})

function textOf(value: Uint8Array): string {
  return Buffer.from(value).toString()
}

/** Keys of three groups. */
function keyOf(number: number): string {
  return `${number % 3}/${number}`
}
