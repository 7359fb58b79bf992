/** The pages of the site in reading order. test/docs/site.test.ts compares them with the files of docs/. */
export const navigation = [
  {
    text: "Begin",
    items: [
      { text: "Countersign", link: "/" },
      { text: "Start", link: "/start" },
      { text: "Quickstart", link: "/quickstart" },
      { text: "Concepts", link: "/concepts" },
      { text: "Coming from the hosted service", link: "/coming-from-the-hosted-service" },
    ],
  },
  {
    text: "Use",
    items: [
      { text: "Policies", link: "/policies" },
      { text: "Policy cookbook", link: "/policies-cookbook" },
      { text: "Tests of policies", link: "/policy-tests" },
      { text: "Sends", link: "/sends" },
      { text: "Webhooks", link: "/webhooks" },
      { text: "Templates", link: "/templates" },
      { text: "Clients", link: "/clients" },
      { text: "Dashboard", link: "/dashboard" },
      { text: "Command line", link: "/command-line" },
      { text: "Organization as code", link: "/organization-as-code" },
      { text: "Errors", link: "/ERRORS" },
    ],
  },
  {
    text: "Run",
    items: [
      { text: "Self-hosting", link: "/self-hosting" },
      { text: "Operations", link: "/OPERATIONS" },
      { text: "Architecture", link: "/ARCHITECTURE" },
      { text: "Threat model", link: "/THREAT_MODEL" },
      { text: "Open points of the interface", link: "/CHOICES" },
      { text: "Decisions about packages", link: "/adr/README" },
    ],
  },
]
