package render

import (
	"fmt"

	"github.com/distribution/reference"
)

// checkImage parses the reference of the attribute `image`; nil after an error.
func (s *server) checkImage(image string) reference.Named {
	named, err := reference.ParseNormalizedNamed(image)
	if err != nil {
		s.attributeError([]string{"image"}, fmt.Sprintf("Invalid image %q", excerpt(image)),
			fmt.Sprintf("It is no image reference: %v. Write a name with a tag or a digest, such as registry.example.com/team/server:1.2.", err))
		return nil
	}
	return named
}
