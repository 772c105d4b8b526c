// What the stories of the app wait for inside of the phone.
import { until } from './browser.mjs'

/** Everything that was done on the phone has been answered by the service. */
export const nothingWaits = (page, what = 'everything is sent') =>
  until(
    () =>
      page.evaluate(
        () =>
          new Promise((done) => {
            const opening = indexedDB.open('homeroom-app.queue')
            opening.onsuccess = () => {
              const all = opening.result.transaction('items').objectStore('items').getAll()
              all.onsuccess = () => {
                opening.result.close()
                done(all.result.every((i) => i.doneAt !== undefined))
              }
            }
          }),
      ),
    what,
  )

/** The app opens without a line from now on. */
export async function appIsKept(page) {
  await page.evaluate(() => navigator.serviceWorker.ready)
  await until(
    () =>
      page.evaluate(async () => {
        const name = (await caches.keys()).find((k) => k.startsWith('homeroom-app-files-'))
        return name !== undefined && (await (await caches.open(name)).match('/app/')) !== undefined
      }),
    'the app is kept',
  )
}
