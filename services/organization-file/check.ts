import { create } from "@bufbuild/protobuf"
import { AuthProxySettingsSchema } from "../../proto/gen/countersign/api/v1/auth_proxy_pb.ts"
import { FeatureName, TagType } from "../../proto/gen/countersign/api/v1/enums_pb.ts"
import { CreateVelocityControlIntentSchema } from "../../proto/gen/countersign/api/v1/intents/policies_pb.ts"
import {
  type OrganizationDocument,
  OrganizationDocumentSchema,
} from "../../proto/gen/countersign/state/v1/document_pb.ts"
import { ReadFault, readMessage } from "../../proto/read.ts"
import type { DescMessage } from "@bufbuild/protobuf"
import { type ExpressionAdvice, checkExpressions, policyWarnings } from "../policy-advice/check.ts"
import { knownNamesOf, searchMeasureOf } from "../policy-advice/known.ts"
import type { OrganizationNames } from "../policy-advice/warning.ts"
import { faultOfMessage } from "../terminal-client/files/form-file.ts"
import type { FileFault } from "../terminal-client/files/value-file.ts"
import { duplicates, unknownNames } from "./check-names.ts"
import type { FilePolicy, OrganizationFile } from "./file.ts"
import type { LiveOrganization } from "./live.ts"
import {
  expand,
  type Expanded,
  type ReferenceKind,
  liveNames,
  namesOfLive,
  plannedNames,
  Names,
} from "./references.ts"

export type CheckedFile = {
  faults: FileFault[]
  /** Sentences about policies that are accepted and probably not intended. */
  notes: string[]
}

/** Finds faults that the API or the signer would refuse later, before anything is sent. */
export function checkFile(file: OrganizationFile, live: LiveOrganization, prune: boolean): CheckedFile {
  const known = namesAfter(file, live)
  const expressions = checkAllExpressions(file, live, known)
  return {
    faults: [
      ...duplicates(file),
      ...unknownNames(file, live, prune),
      ...messageFaults(file),
      ...expressions.flatMap(({ faults }) => faults),
    ],
    notes: expressions.flatMap(({ notes }) => notes),
  }
}

/** Names of everything that exists or is created. */
function namesAfter(
  file: OrganizationFile,
  live: LiveOrganization,
): (kind: ReferenceKind, name: string) => string | undefined {
  const there = namesOfLive(live)
  const planned = new Names(plannedNames(file, live))
  return (kind, name) => there.idOf(kind, name) ?? planned.idOf(kind, name)
}

type IdOf = (kind: ReferenceKind, name: string) => string | undefined

function checkAllExpressions(file: OrganizationFile, live: LiveOrganization, idOf: IdOf): CheckedFile[] {
  const document = documentAfter(file, live)
  const conditions: { path: PropertyKey[]; text: string }[] = [
    ...(file.sessionProfiles ?? []).map(({ scope }, index) => ({
      path: ["sessionProfiles", index, "scope"],
      text: scope,
    })),
    ...(file.users ?? []).flatMap(({ mfaPolicies = [] }, user) =>
      mfaPolicies.map(({ condition }, index) => ({
        path: ["users", user, "mfaPolicies", index, "condition"],
        text: condition,
      })),
    ),
  ]
  const searches = searchMeasureOf(document)
  const namesOf = (effect: "allow" | "deny") => knownNamesOf(effect, document, Date.now(), searches)
  return [
    ...(file.policies ?? []).map((policy, index) => checkPolicy(policy, ["policies", index], idOf, namesOf)),
    ...conditions.map(({ path, text }) => checkCondition(text, path, idOf, namesOf("allow"))),
  ]
}

function checkPolicy(
  policy: FilePolicy,
  path: PropertyKey[],
  idOf: IdOf,
  namesOf: (effect: "allow" | "deny") => OrganizationNames,
): CheckedFile {
  const effect = policy.effect === "EFFECT_ALLOW" ? "allow" : "deny"
  const { condition, consensus, time } = policy
  const texts = { condition, consensus, time }
  const expanded = Object.fromEntries(
    Object.entries(texts).map(([field, text]) => [field, expand(text, idOf)]),
  )
  const advice = checkExpressions(
    Object.fromEntries(Object.entries(expanded).map(([field, { text }]) => [field, text])),
    namesOf(effect),
  )
  const checked = advice.map((one) =>
    adviceOf(one, [...path, one.field], expanded[one.field]!, `policy ${policy.policyName}, ${one.field}`),
  )
  return {
    faults: checked.flatMap(({ faults }) => faults),
    notes: [
      ...policyWarnings(effect, texts).map((sentence) => `policy ${policy.policyName}: ${sentence}`),
      ...checked.flatMap(({ notes }) => notes),
    ],
  }
}

function checkCondition(
  text: string,
  path: PropertyKey[],
  idOf: IdOf,
  known: OrganizationNames,
): CheckedFile {
  const expanded = expand(text, idOf)
  const [advice] = checkExpressions({ condition: expanded.text }, known)
  return advice === undefined ? { faults: [], notes: [] } : adviceOf(advice, path, expanded, path.join("."))
}

/** Faults and warnings, with offsets in the text of the file. */
function adviceOf(
  { fault, warnings }: ExpressionAdvice,
  path: PropertyKey[],
  { written }: Pick<Expanded, "written">,
  title: string,
): CheckedFile {
  return {
    faults:
      fault === undefined
        ? []
        : [
            {
              path,
              sentence: `would be refused, at its character ${written(fault.offset) + 1}: ${fault.sentence}`,
            },
          ],
    notes: warnings.map(({ offset, sentence }) => `${title}, character ${written(offset) + 1}: ${sentence}`),
  }
}

/** A document with the users, tags and profiles that expressions may name. It serves the check alone. */
function documentAfter(file: OrganizationFile, live: LiveOrganization): OrganizationDocument {
  const all = [...liveNames(live), ...plannedNames(file, live)]
  const ofKind = (kind: ReferenceKind) => all.filter((one) => one.kind === kind)
  const tagsOf = (kind: ReferenceKind, type: TagType) =>
    ofKind(kind).map(({ id, name }) => ({ tagId: id, name, type }))
  const isStrict =
    file.features === undefined
      ? live.features.some(({ name }) => name === "FEATURE_NAME_STRICT_DENY")
      : Boolean(file.features["FEATURE_NAME_STRICT_DENY"])
  return create(OrganizationDocumentSchema, {
    organizationId: live.organizationId,
    users: ofKind("user").map(({ id: userId, name }) => ({ userId, name })),
    tags: [...tagsOf("tag", TagType.USER), ...tagsOf("private-key-tag", TagType.PRIVATE_KEY)],
    sessionProfiles: ofKind("session-profile").map(({ id: sessionProfileId, name }) => ({
      sessionProfileId,
      name,
    })),
    features: isStrict ? [{ name: FeatureName.STRICT_DENY, value: "true" }] : [],
  })
}

/** Members that are written as the API takes them, by the rules of its messages. */
function messageFaults({ velocityControls = [], authProxy }: OrganizationFile): FileFault[] {
  const settings = Object.fromEntries(
    Object.entries(authProxy?.settings ?? {}).filter(([, value]) => value !== "" && value !== null),
  )
  return [
    ...velocityControls.flatMap((control, index) =>
      faultOf(CreateVelocityControlIntentSchema, control, ["velocityControls", index]),
    ),
    ...faultOf(AuthProxySettingsSchema, settings, ["authProxy", "settings"]),
  ]
}

function faultOf(schema: DescMessage, value: object, path: PropertyKey[]): FileFault[] {
  try {
    readMessage(schema, value, "", (parent, name) => {
      throw new ReadFault(parent === "" ? name : `${parent}.${name}`, `\`${name}\` is unknown; leave it out`)
    })
    return []
  } catch (fault) {
    if (!(fault instanceof ReadFault)) throw fault
    return [faultOfMessage(fault, path)]
  }
}
