import './app.css'
import './first'
import { QueryClientProvider } from '@tanstack/react-query'
import { startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from '../api/queries'
import { renew } from '../api/session'
import { keepFocus } from '../focus'
import { startMessages } from '../messages/messages'
import { indigo, night, slate } from '../palette'
import { App, preload } from './App'
import { startWorker } from './update'

for (const [name, shades] of Object.entries({ indigo, night, slate }))
  for (const [i, shade] of shades.entries()) document.documentElement.style.setProperty(`--${name}-${i}`, shade)

keepFocus()
void renew()
startWorker()
preload() // beside the language's texts
void startMessages().then(() =>
  // In slices, between which the answers are read that come meanwhile.
  startTransition(() =>
    createRoot(document.getElementById('root')!).render(
      <QueryClientProvider client={queries}>
        <App />
      </QueryClientProvider>,
    ),
  ),
)
