// Lists without pages: an organization may have any number of their objects.
import { create, toBinary } from "@bufbuild/protobuf"
import t from "tap"
import {
  RecordKind,
  RecordSchema,
  SmartContractInterfaceRecordSchema,
} from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import { listSmartContractInterfaces } from "../../../../services/api/queries/list-smart-contract-interfaces.ts"

const INTERFACES = 60
const TEXT = "[".padEnd(400_000, '{"type":"function"},')

t.test("other requests have their turns while a list of large interfaces is written", async (t) => {
  const payload = toBinary(
    SmartContractInterfaceRecordSchema,
    create(SmartContractInterfaceRecordSchema, { text: TEXT }),
  )
  const kind = RecordKind.SMART_CONTRACT_INTERFACE
  const bytes = toBinary(RecordSchema, create(RecordSchema, { kind, payload }))
  const rows = Array.from({ length: INTERFACES }, (_, id) => ({ id: `${id}`, organizationId: "org", bytes }))
  const organization = { id: "0198c0de-0000-7000-8000-000000000001" }
  // Answers at once: every turn of the event loop is one that the list gives.
  const sql = (parts: readonly string[]) => (parts.join().includes("limit") ? Promise.resolve(rows) : "")
  const context = { sql, organization, callerOrganization: organization }
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const text = await listSmartContractInterfaces({} as never, context as never)
  clearImmediate(next)
  t.ok(turns > 1, `${turns} turns`)
  const { smartContractInterfaces } = JSON.parse(text) as {
    smartContractInterfaces: { smartContractInterface: string }[]
  }
  t.equal(smartContractInterfaces.length, INTERFACES)
  t.ok(smartContractInterfaces.every(({ smartContractInterface }) => smartContractInterface === TEXT))
})
