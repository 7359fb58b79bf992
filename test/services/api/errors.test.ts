import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ExpressionFaultSchema } from "../../../proto/gen/countersign/api/v1/errors_pb.ts"
import { RefusalCode, RefusalCodeSchema } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { refusedError, storedError, toApiError } from "../../../services/api/errors.ts"
import { isDatabaseUnavailable } from "../../../services/database/faults.ts"
import { refuse } from "../../../signer/core/refusal.ts"

t.test("every refusal code reaches the wire with the status its option names", async (t) => {
  for (const { number, name } of RefusalCodeSchema.values) {
    if (number === 0) continue
    const error = refusedError({ code: number as RefusalCode, sentence: "why", field: "" })
    t.ok(error.status >= 400, name)
    t.type(error.body().turnkeyErrorCode, "string", name)
  }
})

t.test("a code of a newer signer is an internal error without details", async (t) => {
  const error = refusedError({ code: 9999 as RefusalCode, sentence: "secret", field: "" })
  t.match(error.body(), { code: 13, message: "internal server error" })
})

t.test("a thrown refusal and a received one are the same to the caller", async (t) => {
  const thrown = toApiError(refuse("REQUEST_STALE", "too old", { field: "timestampMs" }))
  const sent = refusedError({ code: RefusalCode.REQUEST_STALE, sentence: "too old", field: "timestampMs" })
  t.same(thrown.body(), sent.body())
  t.equal(thrown.status, 400)
})

t.test("a faulty expression is shown with its position, without empty members", async (t) => {
  const field = "parameters.condition"
  const expression = create(ExpressionFaultSchema, { field, offset: 7, length: 8, suggestion: "gas_price" })
  const code = RefusalCode.EXPRESSION_FIELD_UNKNOWN
  const error = refusedError({ code, sentence: "invalid policy condition", field, expression })
  t.equal(error.status, 400)
  const type = "type.googleapis.com/countersign.api.v1.ExpressionFault"
  t.same(error.body().details.at(-1), {
    "@type": type,
    field,
    offset: 7,
    length: 8,
    suggestion: "gas_price",
  })
})

t.test("an unexpected error shows no details", async (t) => {
  const error = toApiError(new Error("password=1234"))
  t.same(error.body(), {
    code: 13,
    message: "internal server error",
    details: [{ "@type": "type.googleapis.com/errors.v1.TurnkeyErrorDetail", turnkeyErrorCode: "INTERNAL" }],
    turnkeyErrorCode: "INTERNAL",
  })
  t.equal(error.status, 500)
})

t.test("a lost database is not a fault of the request", async (t) => {
  for (const code of ["ECONNREFUSED", "CONNECTION_CLOSED", "CONNECT_TIMEOUT"]) {
    t.match(toApiError(Object.assign(new Error("x"), { code })), { status: 503, code: 14 }, code)
  }
})

/** An error as the database reports it, with its SQLSTATE. */
const reported = (code: string) => Object.assign(new Error("a text of the server with values"), { code })

t.test("a fault of the database is 503 with a sentence of its own, not 500", async (t) => {
  const shown = {
    "25006": /read-only; try again/,
    "25P02": /fault of its own/,
    "40001": /concurrent request/,
    "40P01": /concurrent request/,
    "53100": /disk is full/,
    "53300": /memory or connections/,
    "57P01": /cannot be reached/,
    "57014": /did not answer in time/,
    "58030": /fault of its own/,
    XX001: /fault of its own/,
    "08006": /cannot be reached/,
    "28P01": /cannot be reached/,
    "3D000": /cannot be reached/,
  }
  for (const [code, message] of Object.entries(shown))
    t.match(toApiError(reported(code)), { status: 503, code: 14, message }, code)
  for (const code of ["22001", "23505", "42601"]) t.equal(toApiError(reported(code)).status, 500, code)
})

t.test(
  "recovery skips an outcome for the fault of one statement, and waits out a fault of the server",
  async (t) => {
    for (const code of ["57P01", "53100", "25006", "58030"]) t.ok(isDatabaseUnavailable(reported(code)), code)
    for (const code of ["57014", "40001", "XX001", "22001"])
      t.notOk(isDatabaseUnavailable(reported(code)), code)
  },
)

t.test("a stored error is returned unchanged", async (t) => {
  const given = refusedError({ code: RefusalCode.PERMISSION_DENIED, sentence: "No policies", field: "" })
  t.same(storedError(JSON.stringify(given.body())).body(), given.body())
  t.equal(storedError(JSON.stringify(given.body())).status, 403)
})
