import Dflat
import Testing
