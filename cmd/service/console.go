package service

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"homeroom/config"
	"homeroom/web"
)

// mountScreens adds what is no endpoint of the API: the start page, the console, the people's app, and in the local
// profile, where everything is on one port, the operators' endpoints.
func (s *Service) mountScreens(start http.Handler) {
	engine := s.Kernel.Engine()
	maps := web.Map{Tiles: s.Config.MapTiles, Attribution: s.Config.MapAttribution}
	if start == nil {
		start = http.RedirectHandler("/console/", http.StatusFound)
	}
	engine.GET("/", gin.WrapH(start))
	engine.GET("/console/*path", gin.WrapH(http.StripPrefix("/console/", web.Console(maps))))
	engine.GET("/app/*path", gin.WrapH(http.StripPrefix("/app/", web.App(maps))))
	if s.Config.Profile == config.Local {
		ops := gin.WrapH(s.Ops())
		for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
			engine.GET(path, ops)
		}
	}
}
