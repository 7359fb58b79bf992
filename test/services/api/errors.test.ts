import { create } from "@bufbuild/protobuf"
import t from "tap"
import { ExpressionFaultSchema } from "../../../proto/gen/countersign/api/v1/errors_pb.ts"
import { RefusalCode, RefusalCodeSchema } from "../../../proto/gen/countersign/signer/v1/refusal_pb.ts"
import { refusedError, storedError, toApiError } from "../../../services/api/errors.ts"
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
  for (const code of ["ECONNREFUSED", "CONNECTION_CLOSED", "57P01"]) {
    t.match(toApiError(Object.assign(new Error("x"), { code })), { status: 503, code: 14 }, code)
  }
})

t.test("a stored error is returned unchanged", async (t) => {
  const given = refusedError({ code: RefusalCode.PERMISSION_DENIED, sentence: "No policies", field: "" })
  t.same(storedError(JSON.stringify(given.body())).body(), given.body())
  t.equal(storedError(JSON.stringify(given.body())).status, 403)
})
