import { create, type DescMessage, getOption } from "@bufbuild/protobuf"
import t from "tap"
import { activityTypes } from "../../proto/catalog.ts"
import { ActivityRequestSchema, ActivitySchema } from "../../proto/gen/countersign/api/v1/activities_pb.ts"
import * as enumerations from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { ResultSize, rule } from "../../proto/gen/countersign/api/v1/options_pb.ts"
import * as resourceMessages from "../../proto/gen/countersign/api/v1/resources_pb.ts"
import { PaginationOptionsSchema } from "../../proto/gen/countersign/api/v1/queries_pb.ts"
import { sendFactsOf } from "../../signer/core/send/facts.ts"
import { faultsOfMessage, faultsOfValues, findField, valuesOf } from "./catalog-faults.ts"
import * as documented from "./tables/enums.ts"
import { type Fields, optional, required, string, timestamp } from "./tables/field.ts"
import { keyQueries, keyReplies } from "./tables/key-operations.ts"
import { neighbourQueries, neighbourReplies } from "./tables/neighbours.ts"
import { policyQueries, policyReplies } from "./tables/policy-operations.ts"
import { proxyOperations } from "./tables/proxy.ts"
import { authProxyQueries, authProxyReplies } from "./tables/auth-proxy-operations.ts"
import { secretQueries, secretReplies } from "./tables/secret-operations.ts"
import { queryOperations } from "./tables/query.ts"
import { activity, resources, user } from "./tables/resources.ts"
import { submitBody, submitOperations } from "./tables/submit.ts"
import { userQueries, userReplies } from "./tables/user-operations.ts"
import { MAX_SMART_CONTRACT_INTERFACE } from "./tables/wire.ts"
import { queryPaths, submitPaths } from "../../proto/operations.ts"
import { proxyPaths } from "../../proto/proxy-operations.ts"

t.test("submit operations", async (t) => {
  for (const operation of submitOperations) {
    t.test(operation.path, async (t) => {
      const entry = activityTypes.get(operation.type)
      if (entry === undefined) return t.fail(`${operation.type} is not declared`)
      t.equal(entry.path, operation.path)
      t.equal(entry.intentName, operation.intent)
      t.equal(entry.resultName, operation.result)
      t.strictSame(faultsOfMessage(entry.intentSchema, operation.parameters, "request"), [])
      if (entry.resultSchema === undefined) return t.fail(`${operation.type} has no result`)
      return t.strictSame(faultsOfMessage(entry.resultSchema, operation.resultFields, "reply"), [])
    })
  }
})

t.test("operations served beyond the document's tables", async (t) => {
  for (const { type, intent, result, resultFields } of [
    ...neighbourReplies,
    ...keyReplies,
    ...userReplies,
    ...policyReplies,
    ...secretReplies,
    ...authProxyReplies,
  ]) {
    const entry = activityTypes.get(type)
    if (entry?.resultSchema === undefined) t.fail(`${type} is not declared`)
    else {
      t.equal(entry.intentName, intent, type)
      t.equal(entry.resultName, result, type)
      t.strictSame(faultsOfMessage(entry.resultSchema, resultFields, "reply"), [], type)
    }
  }
  for (const { path, reply } of [
    ...neighbourQueries,
    ...keyQueries,
    ...userQueries,
    ...policyQueries,
    ...secretQueries,
    ...authProxyQueries,
  ]) {
    const entry = queryPaths.get(path)
    if (entry === undefined) t.fail(`${path} is not declared`)
    else t.strictSame(faultsOfMessage(entry.output, withTimestamps(reply), "reply"), [], path)
  }
})

t.test("query operations", async (t) => {
  for (const operation of queryOperations) {
    t.test(operation.path, async (t) => {
      const entry = queryPaths.get(operation.path)
      if (entry === undefined) return t.fail(`${operation.path} is not declared`)
      t.strictSame(faultsOfMessage(entry.input, operation.body, "request"), [])
      return t.strictSame(faultsOfMessage(entry.output, operation.reply, "reply"), [])
    })
  }
})

t.test("proxy operations", async (t) => {
  for (const operation of proxyOperations) {
    t.test(operation.path, async (t) => {
      const entry = proxyPaths.get(operation.path)
      if (entry === undefined) return t.fail(`${operation.path} is not declared`)
      t.strictSame(faultsOfMessage(entry.input, operation.body, "request"), [])
      return t.strictSame(faultsOfMessage(entry.output, operation.reply, "reply"), [])
    })
  }
})

t.test("proxy bodies require the members that C-22 lists", async (t) => {
  const asked = (path: string) =>
    proxyPaths
      .get(path)
      ?.input.fields.filter((field) => getOption(field, rule).required)
      .map((field) => field.jsonName)
  t.strictSame(asked("otp_init"), ["otpType", "contact"])
  t.strictSame(asked("otp_verify"), ["otpId", "otpCode"])
  t.strictSame(asked("otp_login"), ["verificationToken", "publicKey"])
  t.equal(asked("oauth2_authenticate")?.length, 6)
  t.strictSame(asked("oauth_login"), ["oidcToken", "publicKey"])
  t.strictSame(asked("account"), ["filterType", "filterValue"])
  t.strictSame(asked("signup"), [])
  t.strictSame(asked("wallet_kit_config"), [])
})

t.test("the envelope of a submit request matches the document", async (t) => {
  const { parameters: _, ...members } = submitBody
  t.strictSame(faultsOfMessage(ActivityRequestSchema, members, "request"), [])
})

t.test("records", async (t) => {
  const messages: { [heading: string]: DescMessage } = {
    Activity: ActivitySchema,
    Wallet: resourceMessages.WalletSchema,
    "Wallet account": resourceMessages.WalletAccountSchema,
    Authenticator: resourceMessages.AuthenticatorSchema,
    "API key": resourceMessages.ApiKeySchema,
    "OAuth provider": resourceMessages.OauthProviderSchema,
    "OAuth 2.0 credential": resourceMessages.Oauth2CredentialSchema,
    "Pagination options": PaginationOptionsSchema,
  }
  for (const [heading, message] of Object.entries(messages)) {
    const fields = resources[heading]
    if (fields === undefined) t.fail(`no table for ${heading}`)
    else
      t.strictSame(faultsOfMessage(message, heading === "Activity" ? activityInProto() : fields, "reply"), [])
  }
  t.strictSame(faultsOfMessage(resourceMessages.UserSchema, user, "reply"), [])
})

t.test("the contract declares every documented value", async (t) => {
  const pairs = [
    [enumerations.ActivityStatusSchema, documented.ACTIVITY_STATUS, documented.ACTIVITY_STATUS_BEYOND],
    [enumerations.EffectSchema, documented.EFFECT],
    [enumerations.PayloadEncodingSchema, documented.PAYLOAD_ENCODING],
    [enumerations.HashFunctionSchema, documented.HASH_FUNCTION],
    [enumerations.AuthenticatorTransportSchema, documented.AUTHENTICATOR_TRANSPORT],
    [enumerations.CredentialTypeSchema, documented.CREDENTIAL_TYPE],
    [enumerations.ApiKeyCurveSchema, documented.API_KEY_CURVE],
    [enumerations.CurveSchema, documented.CURVE],
    [enumerations.PathFormatSchema, documented.PATH_FORMAT],
    [enumerations.AddressFormatSchema, documented.ADDRESS_FORMAT, documented.ADDRESS_FORMAT_BEYOND],
    [enumerations.SmartContractInterfaceTypeSchema, documented.SMART_CONTRACT_INTERFACE_TYPE],
    [enumerations.FeatureNameSchema, documented.FEATURE_NAME, documented.FEATURE_NAME_BEYOND],
    [enumerations.AuthenticationTypeSchema, documented.AUTHENTICATION_TYPE],
    [enumerations.OutcomeSchema, documented.POLICY_OUTCOME],
    [enumerations.ClientSignatureSchemeSchema, documented.CLIENT_SIGNATURE_SCHEME],
    [enumerations.OtpTypeSchema, documented.OTP_TYPE, documented.OTP_TYPE_BEYOND],
    [enumerations.Oauth2ProviderSchema, documented.OAUTH2_PROVIDER],
    [enumerations.FiatOnRampProviderSchema, documented.FIAT_ON_RAMP_PROVIDER],
    [enumerations.FiatOnRampBlockchainNetworkSchema, documented.FIAT_ON_RAMP_BLOCKCHAIN_NETWORK],
    [enumerations.FiatOnRampCryptoCurrencySchema, documented.FIAT_ON_RAMP_CRYPTO_CURRENCY],
    [enumerations.FiatOnRampCurrencySchema, documented.FIAT_ON_RAMP_CURRENCY],
    [enumerations.FiatOnRampPaymentMethodSchema, documented.FIAT_ON_RAMP_PAYMENT_METHOD],
  ] as const
  for (const [schema, values, beyond = []] of pairs) {
    const declared = schema.values.filter(({ number }) => number !== 0).map(({ name }) => name)
    t.strictSame(faultsOfValues(declared, values, beyond, schema.name), [])
  }
  t.equal(documented.ADDRESS_FORMAT.length, 36)
  t.equal(documented.FIAT_ON_RAMP_CURRENCY.length, 34)
})

t.test("the contract declares the seven activity statuses and no other", async (t) => {
  const declared = enumerations.ActivityStatusSchema.values.map(({ name }) => name)
  t.strictSame(
    declared.toSorted(),
    [
      ...documented.ACTIVITY_STATUS,
      ...documented.ACTIVITY_STATUS_BEYOND,
      "ACTIVITY_STATUS_UNSPECIFIED",
    ].toSorted(),
  )
  t.equal(declared.length, 8)
})

t.test("the contract declares OTP_TYPE_EMAIL beside OTP_TYPE_SMS", async (t) => {
  const field = proxyPaths.get("otp_init")?.input.fields.find(({ jsonName }) => jsonName === "otpType")
  t.strictSame(field && valuesOf(field).toSorted(), ["OTP_TYPE_EMAIL", "OTP_TYPE_SMS"])
})

t.test("all versions of an operation share one path", async (t) => {
  const typesOf = (path: string) =>
    submitPaths.get(path)?.map(({ type }) => type.slice("ACTIVITY_TYPE_".length)) ?? []
  const versions: [path: string, stem: string, suffixes: string[]][] = [
    ["create_sub_organization", "CREATE_SUB_ORGANIZATION", ["_V4", "_V5", "_V6", "_V7", "_V8"]],
    ["create_users", "CREATE_USERS", ["_V3", "_V4"]],
    ["create_api_keys", "CREATE_API_KEYS", ["", "_V2"]],
    ["sign_raw_payload", "SIGN_RAW_PAYLOAD", ["", "_V2"]],
    ["eth_send_transaction", "ETH_SEND_TRANSACTION", ["", "_V2"]],
  ]
  for (const [path, stem, suffixes] of versions) {
    for (const suffix of suffixes) t.ok(typesOf(path).includes(`${stem}${suffix}`), `${stem}${suffix}`)
  }
})

t.test("an activity is declared to send if policies see the transaction that it sends", async (t) => {
  const unused = () => t.fail("no transaction is made")
  const planner = { ethereum: unused, solana: unused, raw: unused } as never
  for (const activity of activityTypes.values())
    t.equal(activity.sends, sendFactsOf(activity, planner) !== undefined, activity.type)
  t.equal([...activityTypes.values()].filter(({ sends }) => sends).length, 8)
})

t.test("activities that share a result declare one size of it", async (t) => {
  const byResult = Map.groupBy(activityTypes.values(), ({ resultName }) => resultName)
  for (const [result, entries] of byResult)
    t.equal(new Set(entries.map(({ resultSize }) => resultSize)).size, 1, String(result))
  const sizeOf = (result: string) => byResult.get(result)?.[0]?.resultSize
  t.equal(sizeOf("signRawPayloadResult"), ResultSize.SMALL)
  t.equal(sizeOf("signRawPayloadsResult"), ResultSize.LARGE)
})

t.test("a promised body is within the largest one", async (t) => {
  const promising = [...activityTypes.values()].filter(({ promisedBodyBytes }) => promisedBodyBytes > 0)
  for (const { type, promisedBodyBytes, maxBodyBytes } of promising)
    t.ok(promisedBodyBytes <= maxBodyBytes, type)
  // The document promises texts of 400,000 bytes, which escapes may double.
  const [{ type, promisedBodyBytes } = { type: "", promisedBodyBytes: 0 }] = promising
  t.equal(type, "ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE")
  t.ok(promisedBodyBytes >= 2 * MAX_SMART_CONTRACT_INTERFACE)
})

t.test("intents and results are named after their types", async (t) => {
  for (const { type, path, intentName, resultName } of activityTypes.values()) {
    const [, stem = "", version = ""] = /^ACTIVITY_TYPE_(.+?)(?:_(V\d+))?$/.exec(type) ?? []
    const camel = stem.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    t.equal(intentName, `${camel}Intent${version}`, type)
    if (resultName !== undefined) t.match(resultName, new RegExp(`^${camel}Result(V\\d+)?$`), type)
    t.match(stem.toLowerCase().replaceAll("_", ""), path.replaceAll("_", ""), type)
  }
})

t.test("smartContractInterface is bounded at 400 kB", async (t) => {
  const schema = activityTypes.get("ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE")?.intentSchema
  const field = schema && findField(schema, "smartContractInterface")
  t.equal(field && getOption(field, rule).maxLength, MAX_SMART_CONTRACT_INTERFACE)
})

t.test("the comparison reports every departure from a table", async (t) => {
  const message = resourceMessages.FeatureSchema
  const faults = (fields: Fields) => faultsOfMessage(message, fields, "request", "Feature")
  t.match(faults({ name: optional(string), value: optional(string) }), [/name: no string/])
  t.match(faults({ nmae: optional(string), value: optional(string) }), [
    "Feature.nmae: not declared",
    "Feature.name: declared, but in no table",
  ])
  t.match(faults({ name: optional(timestamp), value: required(string) }), [
    /no timestamp/,
    /value: optional, but/,
  ])
  t.strictSame(faultsOfValues(["A"], ["A", "B"], [], "E"), ["E: B not declared"])
  t.strictSame(faultsOfValues(["A", "C"], ["A"], [], "E"), ["E: C declared, but in no table"])
  t.ok(create(message))
})

// In proto an activity's times are timestamp objects; the API tier writes them as strings unless the caller is a
// published client (C-51).
function activityInProto(): Fields {
  return { ...activity, type: activityType(), createdAt: required(timestamp), updatedAt: required(timestamp) }
}

// The document calls the type a string; its values are the types of the table.
function activityType(): Fields[string] {
  return required({
    kind: "enum",
    values: submitOperations.map(({ type }) => type),
    beyond: [...activityTypes.keys()],
  })
}

function withTimestamps(reply: Fields): Fields {
  const isOfActivities = (name: string) => name === "activity" || name === "activities"
  return Object.fromEntries(
    Object.entries(reply).map(([name, field]) => {
      if (!isOfActivities(name)) return [name, field]
      const record = { kind: "record", fields: activityInProto() } as const
      return [name, { ...field, type: field.type.kind === "list" ? { kind: "list", of: record } : record }]
    }),
  )
}
