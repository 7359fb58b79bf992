import t from "tap"
import {
  AddressFormat,
  Curve,
  HashFunction,
  PayloadEncoding,
} from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import {
  addressFormatName,
  curveName,
  hashFunctionName,
  payloadEncodingName,
} from "../../../../signer/enclave/keys/wire.ts"
import { refusalOf } from "./tools.ts"

t.test("enum numbers of messages become the names of the API", async (t) => {
  t.equal(curveName(Curve.P256), "CURVE_P256")
  t.equal(addressFormatName(AddressFormat.SOLANA), "ADDRESS_FORMAT_SOLANA")
  t.equal(payloadEncodingName(PayloadEncoding.EIP712), "PAYLOAD_ENCODING_EIP712")
  t.equal(hashFunctionName(HashFunction.NO_OP), "HASH_FUNCTION_NO_OP")
})

t.test("an unknown curve is refused, and other unknown numbers become UNKNOWN", async (t) => {
  t.match(
    refusalOf(() => curveName(Curve.UNSPECIFIED, "x")),
    { code: "REQUEST_INVALID", field: "x", message: /^unknown curve/ },
  )
  t.equal(refusalOf(() => curveName(99 as never))?.code, "REQUEST_INVALID")
  t.equal(addressFormatName(99 as never), "UNKNOWN")
})
