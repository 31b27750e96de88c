// The service worker: shows what is pushed, and opens it. It answers no requests.

self.addEventListener('push', (event) => {
  const { title, url } = event.data.json()
  event.waitUntil(
    self.registration.showNotification(title, { tag: url, data: url, icon: '/assets/apple-touch-icon.png' }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(self.clients.openWindow(event.notification.data))
})
