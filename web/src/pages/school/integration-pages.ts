// The pages of the integrations, in the line above each.
export const integrationPages = [
  { to: '/integrations', title: 'API keys' },
  { to: '/integrations/webhooks', title: 'Webhooks' },
]
