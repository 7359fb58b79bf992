import type { Loaded } from "../../api/data.ts"
import type { Feature, ListedOrganization } from "../../api/directory.ts"
import { Empty } from "../../ui/basics.tsx"
import { openChange } from "../../ui/change.tsx"
import { textOf, textsOf } from "../../ui/fields.tsx"
import { ListSection } from "../../ui/list-section.tsx"
import { actsColumn } from "../../ui/row-menu.tsx"

/** Effect of each feature; those of the contract that this release knows. */
const FEATURES: readonly (readonly [name: string, does: string])[] = [
  ["FEATURE_NAME_STRICT_DENY", "A DENY policy that cannot be evaluated denies."],
  ["FEATURE_NAME_SEALED_OTP_ONLY", "One-time codes are accepted sealed alone, also in sub-organizations."],
  ["FEATURE_NAME_WEBAUTHN_ORIGINS", "Origins that passkey stamps may come from, with commas between."],
  ["FEATURE_NAME_OIDC_APPLICATIONS", "Applications whose ID tokens are accepted. See Login."],
  ["FEATURE_NAME_WEBHOOK", "URL that is notified of every activity. See Webhooks."],
  ["FEATURE_NAME_AUTH_PROXY", "The auth proxy acts for this organization. See Login."],
  ["FEATURE_NAME_EMAIL_AUTH", "Login by a key in an e-mail."],
  ["FEATURE_NAME_OTP_EMAIL_AUTH", "Login by a code in an e-mail."],
  ["FEATURE_NAME_SMS_AUTH", "Login by a code in a text message."],
  ["FEATURE_NAME_EMAIL_RECOVERY", "Users may recover by e-mail."],
  ["FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY", "Root users may recover by e-mail."],
]

const doesOf = (name: string) => FEATURES.find(([one]) => one === name)?.[1] ?? ""

export function Features({ state }: { state: Loaded<ListedOrganization> }) {
  return (
    <ListSection<Feature>
      title="Features"
      verb="Set feature"
      onAdd={() => set()}
      columns={[
        {
          title: "Feature",
          cell: ({ name }) => (
            <span class="stack-0">
              <b class="wrap">{name.replace("FEATURE_NAME_", "")}</b>
              <span class="quiet small">{doesOf(name)}</span>
            </span>
          ),
        },
        { title: "Value", cell: ({ value }) => <span class="wrap mono">{value || "set"}</span> },
        actsColumn(
          ({ name }) => name,
          (feature) => [
            { verb: "Change", act: () => set(feature) },
            { verb: "Remove", act: () => remove(feature), grave: true },
          ],
        ),
      ]}
      rows={state.data?.features}
      state={state}
      keyOf={({ name }) => name}
      empty={<Empty sentence="No feature is set." />}
    />
  )
}

function set(feature?: Feature): void {
  openChange({
    title: "Set feature",
    verb: "Set feature",
    type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    fields: [
      {
        name: "name",
        label: "Feature",
        kind: "select",
        options: FEATURES.map(([name]) => ({ value: name, label: name.replace("FEATURE_NAME_", "") })),
        initial: feature?.name ?? FEATURES[0]?.[0] ?? "",
      },
      {
        name: "value",
        label: "Value",
        code: true,
        initial: feature?.value ?? "",
        hint: "Empty for features that are switches. It replaces any earlier value.",
      },
    ],
    preview: (values) => <p class="quiet">{doesOf(textOf(values, "name"))}</p>,
    parameters: (values) => ({ name: textOf(values, "name"), ...textsOf(values, "value") }),
  })
}

function remove({ name }: Feature): void {
  openChange({
    title: "Remove feature",
    verb: "Remove feature",
    type: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE",
    parameters: () => ({ name }),
  })
}
