import t from "tap"
import {
  faultsOf,
  optionalText,
  readSettings,
  type Setting,
  wholeNumber,
} from "../../../signer/core/settings/settings.ts"
import { databaseUrl, listenAddress, serviceAddress, word } from "../../../services/common/settings.ts"

t.test("settings are read and frozen; an empty variable counts as absent", async (t) => {
  const shape = { COUNTERSIGN_A: word(["a", "b"], "a"), COUNTERSIGN_B: wholeNumber(2, 1, 5) }
  const values = readSettings(shape, { COUNTERSIGN_A: "", COUNTERSIGN_B: "4", OTHER: "x" })
  t.same(values, { COUNTERSIGN_A: "a", COUNTERSIGN_B: 4 })
  t.ok(Object.isFrozen(values))
})

t.test("unknown settings with the prefix are refused, with the most similar name", async (t) => {
  const shape = { COUNTERSIGN_TOKEN_FILE: optionalText }
  t.throws(() => readSettings(shape, { COUNTERSIGN_TOKEN: "x" }), /did you mean COUNTERSIGN_TOKEN_FILE\?/)
  t.throws(() => readSettings({}, { COUNTERSIGN_DATA_DIRS: "x" }), /did you mean COUNTERSIGN_DATA_DIR\?/)
  t.throws(() => readSettings({}, { COUNTERSIGN_QQQQQQQQQQQQ: "x" }), /there is no such setting$/)
})

t.test("listen addresses", async (t) => {
  const setting = listenAddress("localhost:1")
  t.same(setting("0.0.0.0:80"), { host: "0.0.0.0", port: 80 })
  t.same(setting("[::1]:8080"), { host: "::1", port: 8080 })
  for (const text of ["8080", "a:b", "a:99999", "::1:80", "a b:1"]) t.ok(faultOf(setting, text), text)
  t.match(faultOf(setting, "localhost:99999"), /port is too high, 65535 is the highest/)
  t.match(faultOf(setting, "localhost:65536"), /too high/)
  t.match(faultOf(setting, "localhost:"), /write it as host:port/)
})

t.test("addresses of services", async (t) => {
  const setting = serviceAddress("/run/usual.sock")
  t.equal(setting(undefined), "unix:/run/usual.sock")
  for (const text of ["unix:/run/s.sock", "signer.internal:7443", "[::1]:7443"]) t.equal(setting(text), text)
  for (const text of ["unix:", "signer", "signer:99999", "::1:80", "a b:1"])
    t.ok(faultOf(setting, text), text)
})

t.test("URLs of databases, with one host or several", async (t) => {
  const setting = databaseUrl
  for (const text of [
    "postgres://user@localhost:5432/db",
    "postgresql://user:p%40ss,word@db.internal/db?sslmode=require",
    "postgres://user@%2Fvar%2Frun%2Fpostgresql/db",
    "postgres://user@one:5432,two:5433/db",
    "postgres:///db",
  ])
    t.equal(setting(text), text)
  for (const text of ["mysql://user@host/db", "localhost:5432", "postgres:host", "postgres://host:port/db"])
    t.ok(faultOf(setting, text), text)
  t.ok(faultOf(setting, "postgres://user@one:5432,two:five/db"))
})

t.test("a reader's faults are collected; other errors are thrown", async (t) => {
  const shape = { COUNTERSIGN_A: wholeNumber(2, 1, 5) }
  t.same(
    faultsOf(() => readSettings(shape, {})),
    [],
  )
  t.match(
    faultsOf(() => readSettings(shape, { COUNTERSIGN_A: "9" })),
    [/^COUNTERSIGN_A: write/],
  )
  t.throws(
    () =>
      faultsOf(() => {
        throw new TypeError("of another kind")
      }),
    TypeError,
  )
})

function faultOf(setting: Setting<unknown>, text: string): string | undefined {
  return faultsOf(() => setting(text))[0]
}
