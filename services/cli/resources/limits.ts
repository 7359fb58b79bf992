import { readSteps } from "./mfa-steps.ts"
import { change, type FieldOption, list, type Resource, show } from "./resource.ts"
import { readLimit, readSource } from "./velocity.ts"

const REQUIRE: FieldOption = {
  flag: "require",
  about: "step that is met by any of its methods: passkey, passkey:NAME, or passkey,email-otp",
  read: readSteps,
}

const mfaPolicies: Resource = {
  name: "mfa-policy",
  about: "MFA policies: credentials that a user must use besides their stamp",
  strip: ["mfaPolicy"],
  kind: "mfa-policy",
  commands: [
    change(
      "create",
      "CREATE_MFA_POLICY",
      "create an MFA policy of a user; steps are met in any order",
      [
        `mfa-policy create exports --user alice --condition "activity.action == 'EXPORT'" --require passkey --order 1`,
      ],
      { argument: "mfaPolicyName", options: { requiredAuthenticationMethods: REQUIRE } },
    ),
    list(
      "get_mfa_policies mfaPolicies",
      "list the MFA policies of a user, in their order",
      "mfa-policy list --user alice",
      { order: "order", name: "mfaPolicyName", id: "mfaPolicyId", condition: "condition" },
      { userId: {} },
    ),
    show(
      "get_mfa_policy mfaPolicy",
      "show an MFA policy of a user",
      ["mfa-policy show exports --user alice"],
      {
        argument: "kind",
        options: { userId: {} },
      },
    ),
    change(
      "update",
      "UPDATE_MFA_POLICY",
      "change an MFA policy; steps that are given replace all steps",
      ["mfa-policy update exports --user alice --require passkey,api-key --require email-otp"],
      { options: { requiredAuthenticationMethods: REQUIRE } },
    ),
    change("delete", "DELETE_MFA_POLICY", "delete an MFA policy of a user", [
      "mfa-policy delete exports --user alice",
    ]),
  ],
}

const velocityControls: Resource = {
  name: "velocity-control",
  about: "velocity controls: counters of activities and transfers, with limits for policies",
  strip: ["velocityControl"],
  kind: "velocity-control",
  commands: [
    change(
      "create",
      "CREATE_VELOCITY_CONTROL",
      "create a velocity control",
      [
        `velocity-control create "Signatures of a day" --identifier signatures --source sign-raw-payload-v2 --limit "count <= 3 in 1d by user"`,
        `velocity-control create "Ether of a day" --identifier spent --source eip155:1/slip44:60@18 --limit "sum <= 1.5 in 24h"`,
      ],
      {
        argument: "name",
        options: {
          dataSource: {
            flag: "source",
            about:
              "activities, one type of them, or transfers of an asset as CAIP19@DECIMALS; with refuse-unknown calls whose amount is not known are refused",
            read: readSource,
          },
          aggregation: {
            flag: "limit",
            about:
              "comparison: sum or count, <, <=, =, >= or >, a number; “in 1d” and “by user” or “by wallet” may follow",
            read: readLimit,
            single: true,
          },
        },
      },
    ),
    list("list_velocity_controls velocityControls", "list the velocity controls", "velocity-control list", {
      identifier: "identifier",
      name: "name",
      id: "velocityControlId",
    }),
    show("get_velocity_control velocityControl", "show a velocity control, by identifier, name or id", [
      "velocity-control show signatures",
    ]),
    change("delete", "DELETE_VELOCITY_CONTROL", "delete a velocity control and its counters", [
      "velocity-control delete signatures",
    ]),
  ],
}

/** Resources that limit: velocity controls count amounts, and MFA policies demand further proofs of a user. */
export const limits: readonly Resource[] = [mfaPolicies, velocityControls]
