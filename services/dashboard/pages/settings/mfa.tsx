import { useState } from "preact/hooks"
import { useQuery } from "../../api/data.ts"
import type { Organization } from "../../api/directory.ts"
import { requireLogin } from "../../api/login.ts"
import { Empty, Section } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { FieldRow, manyOf, textOf, textsOf } from "../../ui/fields.tsx"
import { Table } from "../../ui/table.tsx"

type Method = { type: string; id?: string }
type MfaPolicy = {
  mfaPolicyId: string
  mfaPolicyName: string
  condition: string
  requiredAuthenticationMethods: { any: Method[] }[]
  order?: number
}

const METHODS = [
  { value: "AUTHENTICATION_TYPE_PASSKEY", label: "Passkey" },
  { value: "AUTHENTICATION_TYPE_API_KEY", label: "API key" },
  { value: "AUTHENTICATION_TYPE_SESSION", label: "Session key" },
  { value: "AUTHENTICATION_TYPE_EMAIL_OTP", label: "Code by e-mail" },
  { value: "AUTHENTICATION_TYPE_SMS_OTP", label: "Code by text message" },
  { value: "AUTHENTICATION_TYPE_OAUTH", label: "ID token" },
]

const wordOf = ({ type }: Method) => METHODS.find(({ value }) => value === type)?.label ?? type

/** MFA policies of one user: which factors their requests need. */
export function MfaPolicies({ organization }: { organization: Organization | undefined }) {
  const [userId, setUserId] = useState(requireLogin().userId)
  const state = useQuery<{ mfaPolicies: MfaPolicy[] }>("get_mfa_policies", { userId })
  const users = organization?.users ?? []
  return (
    <Section
      title="MFA policies"
      aside={
        <button type="button" class="button tight" onClick={() => create(userId)}>
          Create MFA policy
        </button>
      }
    >
      <div class="filters">
        <FieldRow
          field={{
            name: "userId",
            label: "User",
            kind: "select",
            options: users.map((user) => ({ value: user.userId, label: user.userName })),
          }}
          value={userId}
          onChange={(value) => setUserId(String(value))}
        />
      </div>
      <Table<MfaPolicy>
        label="MFA policies"
        columns={[
          { title: "Name", cell: ({ mfaPolicyName }) => <b>{mfaPolicyName}</b> },
          {
            title: "Needs",
            cell: ({ requiredAuthenticationMethods: steps }) =>
              steps.map(({ any }) => any.map(wordOf).join(" or ")).join(", and "),
          },
          {
            title: "For requests",
            wide: true,
            cell: ({ condition }) => <code class="wrap">{condition}</code>,
          },
          {
            title: "Delete",
            cell: (policy) => (
              <button type="button" class="button plain tight" onClick={() => remove(userId, policy)}>
                Delete <span class="hidden-visually">{policy.mfaPolicyName}</span>
              </button>
            ),
          },
        ]}
        rows={state.data?.mfaPolicies}
        state={state}
        keyOf={({ mfaPolicyId }) => mfaPolicyId}
        empty={<Empty sentence="No MFA policy: one credential of this user is enough." />}
      />
    </Section>
  )
}

function create(userId: string): void {
  openChange({
    title: "Create MFA policy",
    verb: "Create MFA policy",
    type: "ACTIVITY_TYPE_CREATE_MFA_POLICY",
    fields: [
      { name: "mfaPolicyName", label: "Name" },
      {
        name: "condition",
        label: "Condition: which requests",
        kind: "area",
        code: true,
        initial: "true",
        hint: "An expression of the policy language, such as activity.action == 'EXPORT'.",
      },
      {
        name: "first",
        label: "First factor, any of",
        kind: "many",
        path: "requiredAuthenticationMethods[0]",
        options: METHODS,
        initial: ["AUTHENTICATION_TYPE_API_KEY", "AUTHENTICATION_TYPE_SESSION"],
      },
      {
        name: "second",
        label: "Second factor, any of",
        kind: "many",
        path: "requiredAuthenticationMethods[1]",
        options: METHODS,
        initial: ["AUTHENTICATION_TYPE_PASSKEY"],
      },
      {
        name: "order",
        label: "Rank",
        kind: "number",
        initial: "0",
        hint: "The lowest that applies is enforced.",
      },
    ],
    parameters: (values) => ({
      userId,
      ...textsOf(values, "mfaPolicyName", "condition"),
      requiredAuthenticationMethods: ["first", "second"]
        .map((name) => ({ any: manyOf(values, name).map((type) => ({ type })) }))
        .filter(({ any }) => any.length > 0),
      order: Number(textOf(values, "order")),
    }),
  })
}

function remove(userId: string, { mfaPolicyId, mfaPolicyName }: MfaPolicy): void {
  openChange({
    title: "Delete MFA policy",
    verb: "Delete MFA policy",
    type: "ACTIVITY_TYPE_DELETE_MFA_POLICY",
    grave: { loses: "Requests that needed a second factor need one credential alone.", name: mfaPolicyName },
    parameters: () => ({ userId, mfaPolicyId }),
  })
}
